"""Deployments of teams that scale."""

from ..facet import collect
from . import services, signals

CHECKS = collect(services, signals)
