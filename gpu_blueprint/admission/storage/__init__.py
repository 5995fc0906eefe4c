"""Claims of volumes."""
