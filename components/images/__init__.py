"""Images of the platform and the tenants: the pull-through cache in ECR."""
