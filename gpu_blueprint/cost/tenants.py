"""Whose money it is: each tenant's share of each pool, by its quota."""

from collections.abc import Mapping

from ..config import StackConfig
from .money import Cost
from .pools import gpus_of, usable

UNASSIGNED = "no tenant"
"""What no quota covers."""


def tenant_shares(stack: StackConfig, costs: Mapping[str, Cost]) -> dict[str, Cost]:
    """Each tenant's part of the pools' costs, and at the end what nobody's quota covers.

    A quota is a part of the pool; where quotas promise more than there is, they divide what there is.
    """
    found = {tenant.name: Cost() for tenant in stack.tenants}
    rest = Cost()
    for pool in stack.pools:
        granted = {tenant.name: gpus_of(pool, tenant.gpus.get(pool.name, 0)) for tenant in stack.tenants}
        whole = max(usable(stack, pool), sum(granted.values()))
        for name, gpus in granted.items():
            found[name] += costs[pool.name] * (gpus / whole)
        rest += costs[pool.name] * (1 - sum(granted.values()) / whole)
    return {**found, UNASSIGNED: rest}
