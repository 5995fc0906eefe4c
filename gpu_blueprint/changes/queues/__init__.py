"""Queues and what tenants lend."""
