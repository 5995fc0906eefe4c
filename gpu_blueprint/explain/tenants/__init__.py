"""Tenants, explained."""
