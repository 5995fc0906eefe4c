"""Tenants: their namespaces, quotas and access."""
