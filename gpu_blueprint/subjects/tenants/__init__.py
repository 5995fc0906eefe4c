"""Admission policies, quotas, rights and traffic rules that keep tenants inside their grants, derived from a stack.

Everything here returns plain values; components/tenants/ makes resources of them.
"""
