"""Quotas, RBAC, traffic rules and the mutating policy that keep tenants inside their grants.

Everything here returns plain values; components/tenants/ creates the resources.
"""
