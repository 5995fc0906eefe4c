"""The cluster and its network, explained."""
