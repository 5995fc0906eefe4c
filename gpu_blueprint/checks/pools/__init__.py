"""Pools, their instance types, reservations and ceilings."""

from ..facet import collect
from . import (
    architectures,
    capacity,
    cpu_capacity,
    efa,
    gpu_health,
    headroom,
    lists,
    pool_rules,
    reservations,
    resource_names,
    sharing_values,
    sizes,
    spot,
    start_times,
)

CHECKS = collect(
    pool_rules,
    lists,
    architectures,
    capacity,
    cpu_capacity,
    efa,
    gpu_health,
    headroom,
    reservations,
    resource_names,
    sharing_values,
    sizes,
    spot,
    start_times,
)
