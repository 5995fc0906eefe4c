"""Moving a pool's work to a new pool beside it: who may be moved, how large the new one is, what it saves."""

from collections.abc import Iterator, Mapping
from math import ceil
from typing import Any

from ...catalog import Instance
from ...catalog.prices import HOURS_A_MONTH
from ...config import Pool, StackConfig
from ...config.scalars import LONGEST_NAME
from ...sharing import Mig
from .need import USABLE_MEMORY
from .observed import PoolUse
from .proposal import AddPool, Change, Set

HEADROOM = 1.25
"""Over the highest peak of the window: next month's may be higher."""
LEAST_SAVING = 0.15
"""Part of a pool's bill below which a move is not worth the work of benchmark and canary."""
ACTIVITY_COVERED = 0.5
"""Part of the time in which GPUs were held of which their activity must be known."""
HALF_IDLE, NEARLY_FULL = 0.5, 0.85
"""Activity below which and memory above which memory alone keeps a pool from less: frameworks reserve it at their start
(vLLM 0.9 of the GPU, JAX 0.75), so that what is used is not what is needed."""
CANARY = "canary"
"""Key of a new pool's taint: its GPUs have the old pool's name, and Karpenter would choose the cheaper for every pod at once."""


def why_not(pool: Pool, use: PoolUse) -> str:
    """Say why nothing can be said of what a pool's work needs; empty where it can."""
    if is_leaving(pool):
        return "the stack file expects nothing of it any more: its work moves already"
    if use.unclear:
        return use.unclear
    if not use.node_hours:
        return "no node of it ran in the window"
    if pool.profile.operands_off:
        return "its nodes run Bottlerocket without dcgm-exporter, so allocation is known and activity is not"
    if use.activity is None:
        return "nothing is known of its GPUs' activity: no pod held any, or dcgm-exporter was not scraped"
    if use.activity.coverage < ACTIVITY_COVERED:
        return f"activity is known for {use.activity.coverage:.0%} of the time in which its GPUs were held, too little"
    if use.largest is None or use.largest.units > 1:
        return "pods hold several GPUs each, which talk to each other over links that other GPUs may not have"
    return _why_it_stays(pool)


def is_leaving(pool: Pool) -> bool:
    """Whether the stack file reckons with nothing in a pool, as it does once its work moves to another one."""
    return 0 in (pool.expected_hours, pool.expected_utilization)


def _why_it_stays(pool: Pool) -> str:
    """Say what in the stack file keeps a pool as it is."""
    if pool.multi_node:
        return "its jobs span nodes over EFA, which no smaller GPU's nodes have"
    if "reserved" in pool.purchase:
        return "its reservations are paid whatever runs on them, so another GPU would save nothing"
    if pool.fractional:
        return "its nodes hold fractions of GPUs already"
    if isinstance(pool.sharing, Mig):
        return "its GPUs are cut by MIG already"
    if pool.shared:
        return "its GPUs are shared already, and what each pod does alone is not measured"
    return ""


def taken_in_advance(stack: StackConfig, pool: Pool, use: PoolUse) -> str:
    """Say that memory hides what the work needs, where GPUs do little and nearly all of their memory is taken."""
    done = use.activity
    room = stack.instances_of(pool)[0].gpu_memory_mib * USABLE_MEMORY
    if done is None or max(done.sm_p95, done.dram_p95) > HALF_IDLE or done.memory_mib < NEARLY_FULL * room:
        return ""
    return (
        f"the busiest GPU's SMs are {done.sm_p95:.0%} active and {done.memory_mib / room:.0%} of the memory is taken; servers such "
        "as vLLM take it in advance: lower --gpu-memory-utilization until requests queue, and look again"
    )


def whole_nodes(gpus: float, row: Instance) -> int:
    """So many GPUs, rounded up to whole nodes."""
    return ceil(round(gpus, 6) / row.gpu_devices) * row.gpu_devices


def with_headroom(peak: float, row: Instance) -> int:
    """The ceiling that a peak calls for."""
    return max(whole_nodes(peak * HEADROOM, row), row.gpu_devices)


def like(pool: Pool, fields: Mapping[str, Any]) -> Pool:
    """The pool with some fields changed, as it would be read from a file; None takes a field away."""
    said = pool.model_dump(by_alias=True, exclude_unset=True, mode="json")
    return Pool.model_validate({key: value for key, value in (said | dict(fields)).items() if value is not None})


def expectation(pool: Pool, gpus: float, max_gpus: int) -> dict[str, Any]:
    """The fields that make the estimate reckon with so many GPUs on average."""
    share = gpus * HOURS_A_MONTH / pool.hours_per_month / max_gpus
    return {"expectedHours": None, "expectedUtilization": round(min(share, 1.0), 2)}


def kept_warm(pool: Pool) -> int:
    """Pods for which headroom keeps room; they move with the work."""
    return pool.headroom.pods if pool.headroom else 0


def services_of(stack: StackConfig, pool: Pool) -> str:
    """What is to be said of services that run in a pool that is emptied."""
    names = [f"{one.tenant}/{one.name}" for one in stack.services if one.pool == pool.name]
    return f", with `pool` and the signals' targets of {', '.join(names)}" if names else ""


def emptied(pool: Pool) -> Iterator[Change]:
    """Reckon with nothing in the old pool: its work is reckoned with in the new one, and its headroom is there."""
    if pool.headroom:
        yield Set(path=("pools", pool.name, "headroom"), value=None)
    if not pool.static_nodes:
        field = "expectedHours" if pool.expected_hours is not None else "expectedUtilization"
        yield Set(path=("pools", pool.name, field), value=0)


def beside(stack: StackConfig, pool: Pool, suffix: str, fields: Mapping[str, Any]) -> AddPool | None:
    """Add a pool like this one; nothing if there is one of that name, which somebody has begun to move to."""
    name = f"{pool.name[: LONGEST_NAME - len(suffix) - 1].rstrip('-')}-{suffix}"
    if name in stack.pools_by_name:
        return None
    new = like(pool, {**fields, "name": name})
    if {*new.profile.per_device} & {*pool.profile.per_device}:
        taints = [taint.model_dump(by_alias=True, exclude_unset=True) for taint in pool.taints]
        fields = {**fields, "taints": [*taints, {"key": CANARY, "value": name}]}
    return AddPool(like=pool.name, name=name, fields=fields, grants=_grants(stack, pool, new))


def _grants(stack: StackConfig, pool: Pool, new: Pool) -> dict[str, Any]:
    """As many units as pods could hold before, within what the new pool can give; one pod holds one unit in both."""
    units, old = new.profile.units, next(iter(pool.profile.units))
    (unit,) = units
    most = new.profile.ceiling(new.max_gpus)[units[unit]]
    found = {}
    for tenant in stack.tenants:
        count = pool.by_unit(tenant.gpus.get(pool.name, 0)).get(old, 0)
        if count:
            found[tenant.name] = min(count, most)
    return found
