"""The facts of a stack that people and programs ask for: pools, tenants, services, service quotas."""
