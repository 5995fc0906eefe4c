"""Namespaces, quotas and access of tenants."""
