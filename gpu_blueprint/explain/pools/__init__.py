"""Pools, explained."""
