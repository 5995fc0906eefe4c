"""Training: runs that continue after they lose a node, and the cost of runs."""
