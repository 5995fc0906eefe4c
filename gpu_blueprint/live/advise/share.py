"""Several pods on one GPU, where each needs a part of it: MIG where the GPU has it, else MPS or turns."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf
from typing import Any

from ...catalog import Instance, MigProfile, MigTable, instances
from ...catalog.prices import HOURS_A_MONTH
from ...config import Pool, StackConfig
from .bill import spot_part, usd_a_month, usd_per_gpu_hour
from .moves import (
    LEAST_SAVING,
    beside,
    emptied,
    expectation,
    kept_warm,
    like,
    services_of,
    whole_nodes,
    why_not,
    with_headroom,
)
from .need import MEMORY_MARGIN, most_pods_per_gpu, usable_mib
from .observed import Activity, Observed, PoolUse
from .proposal import Proposal, bursts, confidence

MOST_SHARED = 0.8
"""How busy a GPU or an instance may become when the 95th percentiles of all its pods fall together."""
MOST_REPLICAS = 8
"""Pods on one GPU beyond which nobody should go by arithmetic alone: each adds context switches and a CUDA context."""
_GIB = 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """One way to share a GPU: how many pods it holds, and the arithmetic."""

    sharing: dict[str, Any]
    pods: int
    mib: float
    """Memory of each pod."""
    busy: str
    isolated: bool
    hosted: str = ""
    """Why fewer pods than instances run on a GPU, if that is so."""


def share(stack: StackConfig, pool: Pool, seen: Observed) -> Iterator[Proposal]:
    """Yield the way of sharing that saves most, if any does."""
    use = seen.of(pool)
    done = use.activity
    if why_not(pool, use) or pool.purpose == "training" or done is None:
        return
    found = [
        (saved, cut, row)
        for row in _types(stack, pool)
        for cut in _cuts(stack, pool, use, done, row)
        if (saved := _saved(stack, pool, seen, cut, row)) is not None
    ]
    if found:
        # Isolation by the hardware is worth more than one pod more.
        saved, cut, row = max(found, key=lambda one: (one[1].isolated, one[0], -one[2].gpu_devices))
        if proposal := _proposal(stack, pool, seen, done, cut, row, saved):
            yield proposal


def _types(stack: StackConfig, pool: Pool) -> list[Instance]:
    """Types with the pool's GPU: fewer GPUs want smaller nodes."""
    own = stack.instances_of(pool)[0]
    return [
        row for row in instances().values()
        if row.gpu_name == pool.model.name and row.arch == own.arch and row.gpu_memory_mib == own.gpu_memory_mib
        and stack.region in row.regions and not row.fractional and not row.bare_metal
    ]  # fmt: skip


def _cuts(stack: StackConfig, pool: Pool, use: PoolUse, done: Activity, row: Instance) -> Iterator[Cut]:
    hosted = most_pods_per_gpu(row, use.largest)
    if pool.model.mig and (cut := _mig(pool, done, row, hosted)):
        yield cut
    elif sum(tenant.may_use(pool.name) for tenant in stack.tenants) <= 1:  # neither isolates one team from another
        mode = "mps" if pool.purpose == "inference" else "time-slicing"
        if cut := _replicas(mode, done, row, hosted):
            yield cut


def _mig(pool: Pool, done: Activity, row: Instance, hosted: float) -> Cut | None:
    """The profile of which most fit on a GPU and on which a pod has room."""
    cuts = (
        []
        if pool.model.mig is None
        else [_instance(pool.model.mig, one, done, row, hosted) for one in pool.model.mig.rows]
    )
    return max((cut for cut in cuts if cut), key=lambda cut: (cut.pods, cut.mib), default=None)


def _instance(table: MigTable, profile: MigProfile, done: Activity, row: Instance, hosted: float) -> Cut | None:
    """A GPU full of instances of one profile, if a pod would fit on each and at least two on the GPU."""
    compute, memory = profile.compute_slices / table.compute_slices, profile.memory_slices / table.memory_slices
    mib, busy = usable_mib(row) * memory, max(done.sm_p95 / compute, done.dram_p95 / memory)
    most = table.most(profile)
    pods = int(min(most, hosted))
    if profile.variant or pods < 2 or busy > MOST_SHARED or done.memory_mib * MEMORY_MARGIN > mib:
        return None
    return Cut(
        sharing={"mode": "mig", "profile": profile.name},
        pods=pods,
        mib=mib,
        busy=f"{busy:.0%} of the instance, which has {compute:.1%} of the SMs and {memory:.1%} of the bandwidth",
        isolated=True,
        hosted=f" (of its {most} instances, as many as a {row.instance_type} has CPU and memory for)" * (pods < most),
    )


def _replicas(mode: str, done: Activity, row: Instance, hosted: float) -> Cut | None:
    busy = max(done.sm_p95, done.dram_p95)
    by_activity = MOST_SHARED / busy if busy else inf
    by_memory = usable_mib(row) / (done.memory_mib * MEMORY_MARGIN) if done.memory_mib else inf
    pods = int(min(by_activity, by_memory, hosted, MOST_REPLICAS))
    if pods < 2:
        return None
    text = f"{pods} × {busy:.0%} = {pods * busy:.0%} of the GPU at worst"
    sharing = {"mode": mode, "replicas": pods}
    return Cut(sharing=sharing, pods=pods, mib=usable_mib(row) / pods, busy=text, isolated=False)


def _gpus(pool: Pool, use: PoolUse, cut: Cut, row: Instance) -> int:
    return whole_nodes((use.held_mean + kept_warm(pool)) / cut.pods, row)


def _saved(stack: StackConfig, pool: Pool, seen: Observed, cut: Cut, row: Instance) -> float | None:
    use = seen.of(pool)
    bill = usd_a_month(stack, pool, use, seen.window)
    price = usd_per_gpu_hour(stack, pool, row, spot_part(pool, use))
    if bill.unknown or price.unknown:
        return None
    saved = bill.known - price.known * _gpus(pool, use, cut, row) * HOURS_A_MONTH
    return saved if saved >= LEAST_SAVING * bill.known else None


def _proposal(
    stack: StackConfig, pool: Pool, seen: Observed, done: Activity, cut: Cut, row: Instance, saved: float
) -> Proposal | None:
    use = seen.of(pool)
    fields = _fields(stack, pool, use, cut, row)
    added = beside(stack, pool, str(cut.sharing.get("profile") or cut.sharing["mode"]).replace(".", "-"), fields)
    if added is None:
        return None
    doubts = ["pods share memory bandwidth and faults, and slow each other in ways that no average shows"] * (
        not cut.isolated
    )
    doubts += bursts(done)
    doubts += ["all pods would stand on one node, and fall with it"] * (_gpus(pool, use, cut, row) == row.gpu_devices)
    doubts += ["one pod can use up the memory of all"] * (cut.sharing["mode"] == "time-slicing")
    return Proposal(
        kind="share",
        subject=pool.name,
        pool=pool.name,
        title=f"whole {pool.model.product} → {like(pool, fields).profile.summary}",
        evidence=tuple(_evidence(stack, pool, seen, done, cut, row, saved)),
        saving=round(saved, 2),
        confidence=confidence(seen.window, *doubts),
        next=_next(stack, pool, cut, added.name),
        changes=(added, *emptied(pool)),
    )


def _fields(stack: StackConfig, pool: Pool, use: PoolUse, cut: Cut, row: Instance) -> dict[str, Any]:
    most = max(min(with_headroom((use.held_peak + kept_warm(pool)) / cut.pods, row), pool.max_gpus), row.gpu_devices)
    chosen = {} if row in stack.instances_of(pool) else {"gpu": pool.model.name, "instanceTypes": None}
    now = expectation(pool, _gpus(pool, use, cut, row), most)
    return {**chosen, "sharing": cut.sharing, "staticNodes": None, "maxGpus": most, **now}


def _evidence(
    stack: StackConfig, pool: Pool, seen: Observed, done: Activity, cut: Cut, row: Instance, saved: float
) -> Iterator[str]:
    use = seen.of(pool)
    bill = usd_a_month(stack, pool, use, seen.window).known
    price = usd_per_gpu_hour(stack, pool, row, spot_part(pool, use)).known
    yield (
        f"each pod holds a whole GPU and uses at most {done.memory_mib / _GIB:.1f} GiB of it; with a margin of "
        f"{MEMORY_MARGIN - 1:.0%} that is {done.memory_mib * MEMORY_MARGIN / _GIB:.1f} GiB, and {cut.mib / _GIB:.1f} would be its own"
    )
    yield (
        f"SMs active {done.sm_mean:.0%} on average; the busiest GPU's p95: SMs {done.sm_p95:.1%}, memory bandwidth "
        f"{done.dram_p95:.1%}: {cut.busy}; up to {MOST_SHARED:.0%} is allowed"
    )
    after = _gpus(pool, use, cut, row)
    yield (
        f"{use.held_mean:.1f} such pods ran on average: at {cut.pods} to a GPU{cut.hosted} they need {after} GPU{'s' * (after != 1)} in whole nodes of {row.instance_type}; "
        f"{use.gpus_mean:.1f} GPUs cost ${bill:,.0f} a month, {after} at ${price:,.2f} × {HOURS_A_MONTH} h cost ${bill - saved:,.0f}"
    )


def _next(stack: StackConfig, pool: Pool, cut: Cut, name: str) -> tuple[str, ...]:
    (resource,) = like(pool, {"sharing": cut.sharing}).profile.per_device
    together = "one pod on an instance" if cut.isolated else f"{cut.pods} pods on one GPU, all under load"
    return (
        f"benchmark {together}: latency and throughput beside a whole GPU's",
        f"canary: add the pool {name}, let a few pods ask for {resource} instead of nvidia.com/gpu, and compare for a day or more",
        f"move the rest{services_of(stack, pool)}, then remove {pool.name}",
    )
