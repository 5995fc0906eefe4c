"""A larger quota for a tenant that is held back by it while its pool has room."""

from collections.abc import Iterator
from math import ceil, floor

from ...catalog.prices import HOURS_A_MONTH
from ...config import Pool, StackConfig, Tenant
from ...cost.pool_cost import price_of_a_gpu
from ...cost.pools import ON_DEMAND, nodes_of, shares_of_a_gpu, usable
from ...monitoring.alerts.cost import NEARLY_ALL
from .observed import Observed, QuotaUse
from .proposal import Proposal, Set, confidence

OFTEN = 0.25
"""Part of the window in which a tenant must have used nearly all of its quota for that to be its usual state."""
RAISED_BY = 1.25
"""How much larger the quota becomes, where the pool's ceiling allows it."""


def raise_quotas(stack: StackConfig, seen: Observed) -> Iterator[Proposal]:
    """Yield a larger quota for each tenant that needs one and can have it."""
    for tenant in stack.tenants:
        for resource in stack.quota_of(tenant):
            use = seen.quotas.get((tenant.space, resource))
            if use and use.near >= OFTEN:
                yield from _raised(stack, tenant, resource, use, seen)


def _raised(stack: StackConfig, tenant: Tenant, resource: str, use: QuotaUse, seen: Observed) -> Iterator[Proposal]:
    """A quota counts a name: raise it in the pool with most room, of those in which it can be raised."""
    granted = [pool for pool in stack.pools if _granted(tenant, pool, resource)]
    found = [pool for pool in granted if _more(stack, tenant, pool, resource, seen) > 0]
    if not found:
        return
    pool = max(found, key=lambda one: _room(stack, one, seen))
    unit = _unit(pool, resource)
    share = shares_of_a_gpu(pool)[unit]
    now, more = _granted(tenant, pool, resource), _more(stack, tenant, pool, resource, seen)
    path = ("tenants", tenant.name, "gpus", pool.name)
    grant = isinstance(tenant.gpus[pool.name], dict)
    _, dear = price_of_a_gpu(nodes_of(stack, pool), ON_DEMAND)
    yield Proposal(
        kind="quota",
        subject=tenant.name,
        pool=pool.name,
        title=f"{unit} of {pool.name} {now} → {now + more}",
        evidence=(
            f"{tenant.name} used {NEARLY_ALL:.0%} or more of its {stack.quota_of(tenant)[resource]} {resource} in {use.near:.0%} "
            f"of the time, and {use.peak:.0%} at its peak: its next pod is refused, not queued",
            f"pods held {seen.of(pool).held_peak:.1f} GPUs of {pool.name} at most, its ceiling is {usable(stack, pool)}: there is room",
            f"{more} × {share:g} GPU in all {HOURS_A_MONTH} h on demand costs ${dear.known * share * more * HOURS_A_MONTH:,.0f} at most, "
            "and nothing while nobody uses it",
        ),
        saving=None if dear.unknown else -round(dear.known * share * more * HOURS_A_MONTH, 2),
        confidence=confidence(seen.window),
        next=(
            "first see whether what the tenant holds works: gpu_pod:gpus:idle names pods that do nothing",
            "agree with the tenant on the bill, then raise it",
        ),
        changes=(Set(path=(*path, unit) if grant else path, value=now + more),),
    )


def _unit(pool: Pool, resource: str) -> str:
    return next(name for name, known in pool.profile.units.items() if known == resource)


def _more(stack: StackConfig, tenant: Tenant, pool: Pool, resource: str, seen: Observed) -> int:
    """By how much a grant could grow: no further than the pool's ceiling, and than what was free at its peak."""
    now = _granted(tenant, pool, resource)
    free = floor(_room(stack, pool, seen) / shares_of_a_gpu(pool)[_unit(pool, resource)])
    return min(ceil(now * RAISED_BY), pool.profile.ceiling(pool.max_gpus)[resource], now + free) - now


def _granted(tenant: Tenant, pool: Pool, resource: str) -> int:
    grant, units = tenant.gpus.get(pool.name, 0), pool.profile.units
    return sum(count for unit, count in pool.by_unit(grant).items() if units[unit] == resource)


def _room(stack: StackConfig, pool: Pool, seen: Observed) -> float:
    """GPUs of the ceiling that pods did not hold even at the peak."""
    return usable(stack, pool) - seen.of(pool).held_peak
