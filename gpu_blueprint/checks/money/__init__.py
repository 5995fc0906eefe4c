"""Budgets and ceilings in dollars."""

from ..facet import collect
from . import budgets

CHECKS = collect(budgets)
