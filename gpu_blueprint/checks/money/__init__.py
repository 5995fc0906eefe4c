"""Budgets and ceilings in dollars."""

from ..facet import collect

CHECKS = collect(__name__)
