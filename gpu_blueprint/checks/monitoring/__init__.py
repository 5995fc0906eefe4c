"""Alerts and their receivers."""

from ..facet import collect

CHECKS = collect(__name__)
