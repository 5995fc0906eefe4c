"""Gains and losses of tenants."""
