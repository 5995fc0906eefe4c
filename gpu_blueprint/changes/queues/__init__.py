"""Queues: their quotas and their settings."""
