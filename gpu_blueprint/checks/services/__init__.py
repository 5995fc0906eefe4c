"""Deployments of teams that scale."""

from ..facet import collect

CHECKS = collect(__name__)
