"""From a model of the stack file and its pool to what Kubernetes runs: memory, flags, pods, traffic, drains."""
