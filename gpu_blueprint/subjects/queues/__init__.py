"""Queues: from pools and grants to the objects and the configuration of Kueue."""
