"""Another GPU model for a pool whose work would fit on a cheaper one."""

from collections.abc import Iterator

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
from .need import MEMORY_MARGIN, MOST_BUSY, Fit, compute, fits, lost, usable_mib
from .observed import Activity, Observed, PoolUse
from .proposal import Proposal, bursts, confidence

_GIB = 1024


def right_size(stack: StackConfig, pool: Pool, seen: Observed) -> Iterator[Proposal]:
    """Yield a move to each GPU model that would do and be cheaper enough, the one that saves most first."""
    use = seen.of(pool)
    if why_not(pool, use):
        return
    found: dict[str, tuple[float, Fit]] = {}
    for fit in fits(stack, pool, use):
        saved = _saved(stack, pool, seen, fit)
        if saved is not None and saved > found.get(fit.gpu.name, (0.0, fit))[0]:
            found[fit.gpu.name] = saved, fit
    for saved, fit in sorted(found.values(), key=lambda pair: -pair[0]):
        if proposal := _proposal(stack, pool, seen, fit, saved):
            yield proposal


def _saved(stack: StackConfig, pool: Pool, seen: Observed, fit: Fit) -> float | None:
    """Dollars a month, where they are known and enough."""
    use = seen.of(pool)
    bill = usd_a_month(stack, pool, use, seen.window)
    price = usd_per_gpu_hour(stack, _target(pool, use, fit), fit.row, spot_part(pool, use))
    if bill.unknown or price.unknown:
        return None
    saved = bill.known - price.known * _gpus(pool, use, fit) * HOURS_A_MONTH
    return saved if saved >= LEAST_SAVING * bill.known else None


def _gpus(pool: Pool, use: PoolUse, fit: Fit) -> float:
    """GPUs that would run on average: one for each that ran, which a larger node can only make more."""
    return max(use.gpus_mean, whole_nodes(use.held_mean + kept_warm(pool), fit.row))


def _target(pool: Pool, use: PoolUse, fit: Fit) -> Pool:
    return like(pool, _fields(pool, use, fit))


def _fields(pool: Pool, use: PoolUse, fit: Fit) -> dict[str, object]:
    most = min(with_headroom(use.held_peak + kept_warm(pool), fit.row), whole_nodes(pool.max_gpus, fit.row))
    return {
        "gpu": fit.gpu.name,
        "instanceTypes": None,
        "staticNodes": None,
        "maxGpus": most,
        **expectation(pool, _gpus(pool, use, fit), most),
    }


def _proposal(stack: StackConfig, pool: Pool, seen: Observed, fit: Fit, saved: float) -> Proposal | None:
    use = seen.of(pool)
    done = use.activity
    added = beside(stack, pool, fit.gpu.name.split("-")[0], _fields(pool, use, fit))
    if done is None or added is None:
        return None
    doubts = ["projected by data sheets, never run"]
    doubts += bursts(done)
    doubts += [f"{name}, if the model uses it, is missing on {fit.gpu.product}" for name in lost(pool.model, fit.gpu)]
    doubts += ["what pods ask of CPU and memory is not known"] * (use.largest is None or use.largest.vcpu is None)
    return Proposal(
        kind="right-size",
        subject=pool.name,
        pool=pool.name,
        title=f"{pool.model.product} → {fit.gpu.product}",
        evidence=(
            *_need(pool, done, fit, usable_mib(stack.instances_of(pool)[0])),
            *_sum(stack, pool, seen, fit, saved),
        ),
        saving=round(saved, 2),
        confidence=confidence(seen.window, *doubts),
        next=_next(stack, pool, fit, added.name),
        changes=(added, *emptied(pool)),
    )


def _need(pool: Pool, done: Activity, fit: Fit, own_mib: float) -> Iterator[str]:
    own, other = pool.model, fit.gpu
    yield (
        f"SMs active {done.sm_mean:.0%} on average; the busiest GPU's p95: SMs {done.sm_p95:.0%}, "
        f"tensor cores {done.tensor_p95:.0%}, memory bandwidth {done.dram_p95:.0%}"
    )
    need = done.memory_mib * MEMORY_MARGIN / _GIB
    yield (
        f"memory: at most {done.memory_mib / _GIB:.1f} of {own_mib / _GIB:.1f} GiB used on one GPU; with a margin of "
        f"{MEMORY_MARGIN - 1:.0%} that is {need:.1f} GiB, and {other.product} has {fit.usable_mib / _GIB:.1f}"
    )
    what = "tensor cores" if compute(done) == done.tensor_p95 else "compute, taking all SM activity for it,"
    yield (
        f"on {other.product}: {fit.tensor:.0%} of the {what} ({compute(done):.1%} of {own.tensor_tflops:g} TFLOPS on {other.tensor_tflops:g}) "
        f"and {fit.bandwidth:.0%} of the bandwidth ({done.dram_p95:.1%} of {own.bandwidth_gb_per_s:,.0f} GB/s on {other.bandwidth_gb_per_s:,.0f}); "
        f"up to {MOST_BUSY:.0%} is allowed"
    )


def _sum(stack: StackConfig, pool: Pool, seen: Observed, fit: Fit, saved: float) -> Iterator[str]:
    use = seen.of(pool)
    bill = usd_a_month(stack, pool, use, seen.window).known
    spot = spot_part(pool, use)
    price = usd_per_gpu_hour(stack, _target(pool, use, fit), fit.row, spot).known
    way = f"{spot:.0%} on spot" if 0 < spot < 1 else "on spot" if spot else "on demand"
    yield (
        f"{use.gpus_mean:.1f} GPUs cost ${bill:,.0f} a month; {_gpus(pool, use, fit):.1f} on {fit.row.instance_type} at ${price:,.2f}, "
        f"bought alike ({way}), × {HOURS_A_MONTH} h cost ${bill - saved:,.0f}"
    )


def _next(stack: StackConfig, pool: Pool, fit: Fit, name: str) -> tuple[str, ...]:
    measure = {
        "inference": "requests a second and p95 latency at production load",
        "training": "time for a step and memory at the real batch size",
        "notebook": "whether notebooks start and stay responsive",
        "batch": "time for a job",
    }[pool.purpose]
    return (
        f"benchmark one pod on {fit.row.instance_type}: {measure}; nothing here knows how fast your model runs on {fit.gpu.product}",
        f"canary: add the pool {name}, let a few pods tolerate its taint and select it, and compare for a day or more",
        f"move the rest{services_of(stack, pool)}, then remove {pool.name}, and the new pool's taint last",
    )
