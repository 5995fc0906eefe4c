"""Deployments of teams, which KEDA scales."""

from ..facet import collect

CHECKS = collect(__name__)
