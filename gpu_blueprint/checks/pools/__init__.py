"""Pools, their instance types, reservations and limits."""

from ..facet import collect

CHECKS = collect(__name__)
