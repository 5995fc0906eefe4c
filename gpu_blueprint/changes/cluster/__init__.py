"""The cluster, its network and what cannot change of them."""
