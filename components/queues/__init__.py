"""Queues: Kueue, and the objects with its pools, tenants and shares."""
