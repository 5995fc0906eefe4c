"""Everything that queries AWS, Prometheus or a cluster, read-only."""
