"""Everything that asks AWS, Prometheus or a cluster. It only reads."""
