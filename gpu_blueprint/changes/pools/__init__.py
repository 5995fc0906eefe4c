"""Nodes: what a change drains, and what pools offer."""
