"""The facts that a plan stands on, in words and as one JSON document."""

import re
from collections.abc import Iterator
from typing import Any

from ..cost.nodes import find_spot_share
from ..readiness.words import write_phase, write_seconds
from .checkpoints import BYTES_PER_PARAMETER, NOTICE_S, STOPPING_S
from .plans import Purchased, TrainingPlan
from .run import GRACE_S

_GB = 1e9


def list_facts(plan: TrainingPlan) -> Iterator[tuple[str, str]]:
    """Yield (subject, sentence) of each input of the formulas."""
    request, checkpoint = plan.request, plan.request.checkpoint
    store, row = checkpoint.store, request.row
    gpus = f"{row.gpu_devices * request.nodes} {row.gpu.name}"
    yield "run", f"{request.nodes} × {row.instance_type} ({gpus}), {request.days:g} days of computing"
    yield (
        "checkpoint",
        f"{_write_count(checkpoint.parameters)} parameters × {checkpoint.bytes_per_parameter:g} bytes ="
        f" {_write_size(checkpoint.bytes)}",
    )
    yield (
        "storage",
        f"{store.label}, {store.mib:,.0f} MiB/s for the run ({store.why}): {_write_time(checkpoint.seconds)} "
        f"for a checkpoint; {request.keep} kept and one in the making take {_write_size(plan.kept_gib * 2**30)}"
        f"{'' if plan.fits_storage else ', more than the file system holds: give it more sizeGib, or keep fewer'}",
    )
    yield "notice", _describe_notice(plan)
    start = plan.start
    yield (
        "restart",
        f"{_write_time(plan.restart_s)}: node {write_phase(start.node)}, image {write_phase(start.image)}, "
        f"warm-up {write_seconds(start.warmup.seconds)}, checkpoint {_write_time(checkpoint.seconds)}",
    )
    if any(offer.purchase == "spot" for offer in plan.offers):
        yield "reclaims", f"{100 * plan.reclaims.share:g} % of the spot nodes in a month: {plan.reclaims.source}"
    yield from _compare_intervals(plan)
    days = 1 / plan.failures_per_node_hour / 24
    yield "failures", f"a node fails once in {days:,.0f} days: Llama 3, 419 failures in 54 days on 16,384 H100s"


def list_assumptions(plan: TrainingPlan) -> Iterator[str]:
    """Yield the inputs that nobody has measured for this run, and what the plan leaves out."""
    request = plan.request
    if request.checkpoint.bytes_per_parameter == BYTES_PER_PARAMETER:
        yield "12 bytes a parameter are FP32 weights and Adam's two moments; another optimizer keeps more or less"
    yield "each node writes and reads its own part of a checkpoint (FSDP, or a sharded optimizer)"
    yield "the run computes nothing while it writes; asynchronous checkpoints lose less"
    if request.checkpoint.store.storage is None:
        yield "no storage of the stack is for these checkpoints, so the plan takes a bucket on S3 in its region"
    if not plan.states_start:
        yield "the image has 10 GiB and the first step comes 2 minutes after it; podStart in the pool states your own"
    share = find_spot_share(request.row.family, plan.stack.costs.spot_share)
    if share:
        yield f"a spot node costs {100 * share:.0f} % of its on-demand price; costs.spotShare states your own"
    yield (
        "a spot node goes at any time with the same chance; in truth reclaims come in bursts, and a month may be worse "
        "than AWS's last: --reclaimed 0.8 shows a bad month"
    )
    yield "nodes are there when the run asks for them, at first and after each interruption; add your own waits"
    yield (
        "failures are those of H100s, and are seen at once: a rank that hangs waits for NCCL's timeout, by default 10 "
        "minutes; no software of yours fails"
    )
    if request.nodes > 1 and not request.pool.multi_node and request.row.efa_interfaces:
        yield f"days of computing are as you state them; pool {request.pool.name} has no EFA (multiNode) between nodes"


def list_formulas() -> Iterator[tuple[str, str]]:
    """Yield (quantity, formula with its source)."""
    yield "M", "mean time between interruptions of the run: that of a node / nodes, since one node ends the run"
    yield (
        "interval",
        "τ = √(2·C·M)·(1 + ⅓√(C/2M) + ⅑·C/2M) − C, with C the time of a checkpoint (Daly 2006); for a short C Young's "
        "τ = √(2·C·M) of 1974",
    )
    yield "hours", "M·e^(R/M)·(e^((τ+C)/M) − 1)·work/τ, with R the restart (Daly 2006)"
    yield "loss", "M − S/(e^(S/M) − 1) + R with S = τ + C, about S/2 + R; a reclaim after a last checkpoint costs C + R"
    yield "reclaims", "a share f in a month is −ln(1 − f)/730 an hour"


def _compare_intervals(plan: TrainingPlan) -> Iterator[tuple[str, str]]:
    """Yield what checkpoints at every hour would lose, where the best interval is longer."""
    offer = next((offer for offer in plan.offers if offer.is_of_pool), None)
    if offer and offer.ends and offer.interval > 1:
        hourly = 1 - offer.work / offer.disturbances.expect_wall_time(offer.work, 1.0)
        yield (
            "interval",
            f"a checkpoint every hour loses {100 * hourly:.1f} % on {offer.purchase}, the best interval "
            f"{100 * offer.lost:.1f} %: take the shorter where an interruption hurts more than its hours",
        )


def _describe_notice(plan: TrainingPlan) -> str:
    seconds = _write_time(plan.request.checkpoint.seconds)
    room = f"{GRACE_S - STOPPING_S} s: {NOTICE_S} s of notice, {GRACE_S} s of grace, {STOPPING_S} s to stop"
    if plan.request.checkpoint.fits_notice:
        return f"a last checkpoint of {seconds} fits into the {room}; a reclaim then loses no work"
    return (
        f"a last checkpoint of {seconds} does not fit into the {room}; a reclaim loses the work since the checkpoint "
        "before it; faster storage, more nodes or fewer bytes a parameter help"
    )


def _write_count(count: float) -> str:
    """Write a count as the command takes it: ``7e9``, ``1.3e9``."""
    return re.sub(r"e\+?0*", "e", f"{count:.4g}") if count >= 1e6 else f"{count:g}"


def _write_size(count: float) -> str:
    size = count / _GB
    return f"{size:,.1f} GB" if size < 10 else f"{size:,.0f} GB"


def _write_time(seconds: float) -> str:
    return f"{seconds:.1f}s" if seconds < 10 else write_seconds(round(seconds))


def plan_as_json(plan: TrainingPlan) -> dict[str, Any]:
    """Write a plan as one document; times in hours unless their name says otherwise, null where nothing is known."""
    request, checkpoint, store = plan.request, plan.request.checkpoint, plan.request.checkpoint.store
    return {
        "stack": plan.stack.cluster_name,
        "region": plan.stack.region,
        "pool": request.pool.name,
        "run": {
            "instanceType": request.row.instance_type,
            "nodes": request.nodes,
            "gpus": request.nodes * request.row.gpu_devices,
            "computeDays": request.days,
        },
        "checkpoint": {
            "parameters": checkpoint.parameters,
            "bytesPerParameter": checkpoint.bytes_per_parameter,
            "bytes": round(checkpoint.bytes),
            "storage": store.storage.name if store.storage else None,
            "kind": store.storage.kind if store.storage else "s3",
            "mibPerSecond": round(store.mib, 1),
            "seconds": round(checkpoint.seconds, 1),
            "fitsNotice": checkpoint.fits_notice,
            "kept": request.keep,
            "keptBytes": round(plan.kept_gib * 2**30),
            "fitsStorage": plan.fits_storage,
        },
        "restartSeconds": round(plan.restart_s, 1),
        "spotReclaimedPerMonth": plan.reclaims.share,
        "spotReclaimedSource": plan.reclaims.source,
        "nodeFailuresPerHour": plan.failures_per_node_hour,
        "offers": [_offer_as_json(plan, offer) for offer in plan.offers],
        "facts": dict(list_facts(plan)),
        "assumptions": list(list_assumptions(plan)),
        "formulas": dict(list_formulas()),
    }


def _offer_as_json(plan: TrainingPlan, offer: Purchased) -> dict[str, Any]:
    ends = offer.ends
    return {
        "purchase": offer.purchase,
        "ofPool": offer.is_of_pool,
        "hoursBetweenInterruptions": round(1 / offer.disturbances.rate, 2),
        "interruptions": round(offer.interruptions, 2) if ends else None,
        "intervalHours": round(offer.interval, 4),
        "youngIntervalHours": round(plan.find_young(offer), 4),
        "checkpointsPerDay": round(plan.count_checkpoints_a_day(offer), 2) if ends else None,
        "lossPerInterruptionHours": round(offer.loss, 4),
        "days": round(offer.hours / 24, 3) if ends else None,
        "shareLost": round(offer.lost, 4) if ends else None,
        "usdPerHour": offer.node_hour.exact,
        "nodesUsd": offer.nodes_usd.exact,
        "storageUsd": plan.price_storage(offer).exact,
        "note": offer.note,
    }
