"""Monitoring, explained."""
