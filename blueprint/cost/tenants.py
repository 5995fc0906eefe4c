"""Whose money it is: each tenant's share of each pool, by its quota."""

from collections.abc import Mapping

from ..config import Pool, StackConfig, Tenant
from ..config.spending import usable
from ..pricing import Cost
from ..sharing import Mig

UNASSIGNED = "no tenant"
"""What no quota covers."""


def shares_of_a_gpu(pool: Pool) -> dict[str, float]:
    """What part of one GPU one unit of a pool is: instances of several MIG profiles count by their compute slices."""
    per_gpu = {unit: pool.profile.per_device[name] for unit, name in pool.profile.units.items()}
    table = pool.model.mig
    if len(per_gpu) == 1 or table is None or not isinstance(pool.sharing, Mig):
        return {unit: 1 / (count * len(per_gpu)) for unit, count in per_gpu.items()}
    slices = {unit: table.profiles[unit].compute_slices for unit in per_gpu}
    whole = sum(slices[unit] * count for unit, count in per_gpu.items())
    return {unit: slices[unit] / whole for unit in per_gpu}


def tenant_shares(stack: StackConfig, costs: Mapping[str, Cost]) -> dict[str, Cost]:
    """Each tenant's part of the pools' costs, and at the end what nobody's quota covers.

    A quota is a part of the pool; where quotas promise more than there is, they divide what there is.
    """
    found = {tenant.name: Cost() for tenant in stack.tenants}
    rest = Cost()
    for pool in stack.pools:
        granted = {tenant.name: _gpus(tenant, pool) for tenant in stack.tenants}
        whole = max(usable(stack, pool), sum(granted.values()))
        for name, gpus in granted.items():
            found[name] += costs[pool.name] * (gpus / whole)
        rest += costs[pool.name] * (1 - sum(granted.values()) / whole)
    return {**found, UNASSIGNED: rest}


def _gpus(tenant: Tenant, pool: Pool) -> float:
    """How many GPUs' worth of a pool a tenant may have."""
    grant, shares = tenant.gpus.get(pool.name, 0), shares_of_a_gpu(pool)
    counts = grant if isinstance(grant, dict) else {next(iter(shares)): grant}
    return sum(shares[unit] * count for unit, count in counts.items())
