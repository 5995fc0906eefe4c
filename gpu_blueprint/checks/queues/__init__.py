"""Queues and what tenants lend."""

from ..facet import collect

CHECKS = collect(__name__)
