"""The cluster, its network, region and roles."""

from ..facet import collect

CHECKS = collect(__name__)
