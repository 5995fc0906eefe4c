"""Costs, explained."""
