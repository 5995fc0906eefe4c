"""A lower ceiling for a pool that never comes near its own."""

from collections.abc import Iterator
from math import ceil

from ...config import Pool, StackConfig
from ...cost.pools import ON_DEMAND, cost_of, gpus_of, usable
from .moves import HEADROOM, expectation, like, whole_nodes
from .observed import Observed, PoolUse
from .proposal import Change, Proposal, Set, confidence

WELL_BELOW = 0.75
"""A ceiling that would not fall below this part of itself is near enough."""
NOBODY_WAITED = 0.01
"""Part of the time in which pods may have waited without the ceiling being called too low."""


def lower_ceiling(stack: StackConfig, pool: Pool, seen: Observed) -> Iterator[Proposal]:
    """Yield the ceiling that the highest peak calls for, with the quotas that would lie above it."""
    use = seen.of(pool)
    if pool.static_nodes or not use.node_hours or use.waiting > NOBODY_WAITED:
        return
    most = _ceiling(stack, pool, use)
    if most > WELL_BELOW * pool.max_gpus:
        return
    lower = like(pool, {"maxGpus": most})
    saved = cost_of(stack, pool, ON_DEMAND).ceiling.hour.known - cost_of(stack, lower, ON_DEMAND).ceiling.hour.known
    yield Proposal(
        kind="ceiling",
        subject=pool.name,
        pool=pool.name,
        title=f"maxGpus {pool.max_gpus} → {most}",
        evidence=(
            f"pods held {use.held_peak:.1f} GPUs at most and {use.held_mean:.1f} on average, nodes had {use.gpus_peak:.0f} at most; "
            f"no pod waited longer than a node takes to start",
            f"{use.held_peak:.1f} × {HEADROOM} in whole nodes, and no less than what ran, is reserved or is promised to services: {most}, not {pool.max_gpus}",
            *("the tenants' quotas above it come down with it" for _ in _lowered(stack, pool, lower)[:1]),
            f"today's bill stays as it is; with every limit reached the stack costs ${saved:,.2f} an hour less on demand, "
            "and so much less vCPU quota is needed",
        ),
        saving=None,
        confidence=confidence(seen.window),
        next=("ask the teams whether a launch or a larger run is planned", "blueprint quotas STACK shows the quota that is needed then"),
        changes=tuple(_changes(stack, pool, use, lower)),
    )  # fmt: skip


def _ceiling(stack: StackConfig, pool: Pool, use: PoolUse) -> int:
    """Never below what is reserved, what one node of each type holds, or what the nodes had when pods held most."""
    types = stack.instances_of(pool)
    seen = {kind for kind, _ in use.node_hours}
    # Of a model's types those that ran must go on to fit; types that the file names must all fit.
    largest = max((row.gpu_devices for row in types if pool.instance_types or row.instance_type in seen), default=1)
    reserved = sum(
        one.instances * row.gpu_devices
        for one in stack.reservations
        if any(term.selects(one) for term in pool.reservations)
        for row in types
        if row.instance_type == one.instance_type
    )
    wanted = whole_nodes(use.held_peak * HEADROOM, min(types, key=lambda row: row.gpu_devices))
    services = sum(one.replicas.max * gpus_of(pool, one.gpus) for one in stack.services if one.pool == pool.name)
    return max(wanted, largest, reserved, round(use.gpus_peak), ceil(services))


def _changes(stack: StackConfig, pool: Pool, use: PoolUse, lower: Pool) -> Iterator[Change]:
    yield Set(path=("pools", pool.name, "maxGpus"), value=lower.max_gpus)
    if pool.expected_utilization is not None:
        share = expectation(pool, use.gpus_mean, usable(stack, lower))["expectedUtilization"]
        yield Set(path=("pools", pool.name, "expectedUtilization"), value=share)
    yield from _lowered(stack, pool, lower)


def _lowered(stack: StackConfig, pool: Pool, lower: Pool) -> list[Change]:
    """The quotas that would lie above the ceiling."""
    found: list[Change] = []
    most = lower.profile.ceiling(lower.max_gpus)
    for tenant in stack.tenants:
        grant = tenant.gpus.get(pool.name, 0)
        for unit, count in pool.by_unit(grant).items():
            room = most[pool.profile.units[unit]]
            if count > room:
                path = ("tenants", tenant.name, "gpus", pool.name)
                found.append(Set(path=(*path, unit) if isinstance(grant, dict) else path, value=room))
    return found
