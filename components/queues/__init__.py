"""Queues: Kueue and the objects from which it knows pools, tenants and their shares."""
