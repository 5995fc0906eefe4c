"""Queues: Kueue, and the objects that tell it the pools, the tenants and their shares."""
