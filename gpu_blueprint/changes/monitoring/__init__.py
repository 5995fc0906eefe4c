"""Metrics and alerts."""
