"""Pools, their instance types, reservations and ceilings."""

from ..facet import collect

CHECKS = collect(__name__)
