"""Queues, explained."""
