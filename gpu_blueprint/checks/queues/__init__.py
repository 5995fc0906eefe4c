"""Queues and what tenants lend."""

from ..facet import collect
from . import ceilings, limits, queues, values, waits

CHECKS = collect(ceilings, limits, queues, values, waits)
