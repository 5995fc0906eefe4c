"""Models that the platform serves."""

from ..facet import collect

CHECKS = collect(__name__)
