"""The time from a pod that no node has room for to a pod that works."""
