"""Deployments of teams that scale."""
