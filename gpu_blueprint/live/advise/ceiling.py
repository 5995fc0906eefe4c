"""A lower ceiling for a pool that never comes near its present ceiling."""

from collections.abc import Iterator
from math import ceil

from ...catalog import Instance
from ...config import Pool, StackConfig
from ...cost.capacity import find_always_on
from ...cost.gpus import count_usable_gpus
from ...cost.nodes import ON_DEMAND
from ...cost.pools import estimate_pool
from .moves import PEAK_MARGIN, change_pool, expect_gpus, round_to_nodes
from .observed import Observed, PoolUse
from .proposal import Change, Proposal, Set, judge_confidence

WELL_BELOW = 0.75
"""The new ceiling is proposed only if it is at most this part of the present ceiling."""
NOBODY_WAITED = 0.01
"""Part of the time in which pods may have waited. If pods waited longer, the ceiling is too low already."""


def lower_ceiling(stack: StackConfig, pool: Pool, observed: Observed) -> Iterator[Proposal]:
    """Yield the ceiling that the highest peak needs, with lower quotas for tenants whose quota exceeds the ceiling."""
    use = observed.find_use(pool)
    if pool.static_nodes or not use.node_hours or use.waiting > NOBODY_WAITED:
        return
    max_gpus = _find_ceiling(stack, pool, use)
    if max_gpus > WELL_BELOW * pool.max_gpus:
        return
    lower = change_pool(pool, {"maxGpus": max_gpus})
    yield Proposal(
        kind="ceiling",
        subject=pool.name,
        pool=pool.name,
        title=f"maxGpus {pool.max_gpus} → {max_gpus}",
        evidence=tuple(_explain(stack, pool, use, lower)),
        saving=None,
        confidence=judge_confidence(observed.window),
        next=(
            "ask the teams whether a launch or a larger run is planned",
            "blueprint quotas STACK shows the service quotas that the stack needs then",
        ),
        changes=tuple(_list_changes(stack, pool, use, lower)),
    )


def _explain(stack: StackConfig, pool: Pool, use: PoolUse, lower: Pool) -> Iterator[str]:
    saved = (
        estimate_pool(stack, pool, ON_DEMAND).ceiling.hour.known
        - estimate_pool(stack, lower, ON_DEMAND).ceiling.hour.known
    )
    yield (
        f"pods held {use.held_peak:.1f} GPUs at most and {use.held_mean:.1f} on average, nodes had {use.gpus_peak:.0f} "
        "at most; no pod waited longer than a node takes to start"
    )
    yield (
        f"{use.held_peak:.1f} × {PEAK_MARGIN} in whole nodes, and no less than the GPUs that ran, are reserved or are "
        f"promised to services{' and models' if stack.models else ''}: {lower.max_gpus}, not {pool.max_gpus}"
    )
    if _lower_quotas(stack, pool, lower):
        yield "tenants' quotas above the new ceiling come down to it"
    yield (
        f"today's bill does not change; with every limit reached the stack costs ${saved:,.2f} an hour less on demand, "
        "and the account needs a smaller service quota of vCPUs"
    )


def _find_ceiling(stack: StackConfig, pool: Pool, use: PoolUse) -> int:
    """Return a ceiling that holds the peak, all running nodes, reservations, services and a node of each type."""
    types = stack.list_instances(pool)
    wanted = round_to_nodes(use.held_peak * PEAK_MARGIN, min(types, key=lambda row: row.gpu_devices))
    services = sum(load.most for load in find_always_on(stack, pool, ON_DEMAND).loads.services)
    largest = _find_largest_node(pool, types, use)
    return max(wanted, largest, _count_reserved(stack, pool, types), round(use.gpus_peak), ceil(services))


def _find_largest_node(pool: Pool, types: tuple[Instance, ...], use: PoolUse) -> int:
    """Return the GPUs of the largest node that must fit: every type that the file names, or the types that ran."""
    ran = {instance_type for instance_type, _ in use.node_hours}
    return max((row.gpu_devices for row in types if pool.instance_types or row.instance_type in ran), default=1)


def _count_reserved(stack: StackConfig, pool: Pool, types: tuple[Instance, ...]) -> int:
    return sum(
        reservation.instances * row.gpu_devices
        for reservation in stack.reservations
        if any(term.selects(reservation) for term in pool.reservations)
        for row in types
        if row.instance_type == reservation.instance_type
    )


def _list_changes(stack: StackConfig, pool: Pool, use: PoolUse, lower: Pool) -> Iterator[Change]:
    yield Set(path=("pools", pool.name, "maxGpus"), value=lower.max_gpus)
    if pool.expected_utilization is not None:
        share = expect_gpus(pool, use.gpus_mean, count_usable_gpus(stack, lower))["expectedUtilization"]
        yield Set(path=("pools", pool.name, "expectedUtilization"), value=share)
    yield from _lower_quotas(stack, pool, lower)


def _lower_quotas(stack: StackConfig, pool: Pool, lower: Pool) -> list[Change]:
    """Return the changes of tenants' quotas that lie above the new ceiling."""
    changes: list[Change] = []
    most = lower.profile.count_at_ceiling(lower.max_gpus)
    for tenant in stack.tenants:
        grant = tenant.gpus.get(pool.name, 0)
        for unit, count in pool.count_by_unit(grant).items():
            room = most[pool.profile.units[unit]]
            if count > room:
                path = ("tenants", tenant.name, "gpus", pool.name)
                changes.append(Set(path=(*path, unit) if isinstance(grant, dict) else path, value=room))
    return changes
