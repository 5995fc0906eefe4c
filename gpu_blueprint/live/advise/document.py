"""What was measured and what is proposed, as one JSON document."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from ...config import StackConfig
from .advice import Advice
from .bill import usd_a_month
from .observed import Activity, Observed
from .proposal import AddPool, Change, Proposal, Set


def as_json(stack: StackConfig, seen: Observed, found: Advice, left_out: Mapping[str, str]) -> dict[str, Any]:
    """The document; dollars with two digits, shares from 0 to 1, null where something is not known."""
    return {
        "stack": stack.cluster_name,
        "region": stack.region,
        "currency": "USD",
        "window": {"days": seen.window.days, "coverage": _share(seen.window.coverage), "warnings": list(seen.window.warnings)},
        "pools": [_pool(stack, seen, name) for name in stack.pools_by_name],
        "quotas": [
            {"namespace": space, "resource": resource, "peak": _share(use.peak), "timeNearlyUsed": _share(use.near)}
            for (space, resource), use in sorted(seen.quotas.items())
        ],
        "reservations": [{"id": one.id, "instances": one.instances, "mostUsed": seen.reservations.get(one.id, 0)} for one in stack.reservations],
        "proposals": [_proposal(one, left_out) for one in found.proposals],
        "alternatives": [_proposal(one, {}) for one in found.alternatives],
        "free": [{"pool": name, "why": why} for name, why in found.free],
        "notJudged": [{"pool": name, "why": why} for name, why in found.silent],
        "savingUsdPerMonth": round(found.saving, 2),
    }  # fmt: skip


def _pool(stack: StackConfig, seen: Observed, name: str) -> dict[str, Any]:
    pool = stack.pools_by_name[name]
    use = seen.of(pool)
    return {
        "name": name,
        "gpusRunning": {"mean": _two(use.gpus_mean), "peak": _two(use.gpus_peak), "low": _two(use.gpus_low)},
        "gpusHeld": {"mean": _two(use.held_mean), "peak": _two(use.held_peak)},
        "maxGpus": pool.max_gpus,
        "nodeHours": [
            {"instanceType": kind, "capacityType": how or None, "hours": _two(hours)}
            for (kind, how), hours in sorted(use.node_hours.items())
        ],
        "timePodsWaited": _share(use.waiting),
        "spotInterruptions": _two(use.interruptions),
        "largestPod": asdict(use.largest) if use.largest else None,
        "activity": _activity(use.activity),
        "usdPerMonth": usd_a_month(stack, pool, use, seen.window).exact,
    }


def _activity(done: Activity | None) -> dict[str, Any] | None:
    if done is None:
        return None
    return {
        "smMean": _share(done.sm_mean),
        "smP95": _share(done.sm_p95),
        "tensorP95": _share(done.tensor_p95),
        "dramP95": _share(done.dram_p95),
        "memoryPeakMib": round(done.memory_mib),
        "coverage": _share(done.coverage),
    }


def _proposal(one: Proposal, left_out: Mapping[str, str]) -> dict[str, Any]:
    return {
        "kind": one.kind,
        "subject": one.subject,
        "pool": one.pool,
        "title": one.title,
        "savingUsdPerMonth": one.saving,
        "confidence": {"level": one.confidence.level, "reason": one.confidence.reason},
        "evidence": list(one.evidence),
        "next": list(one.next),
        "changes": [_change(change) for change in one.changes],
        "whyNotInFile": left_out.get(one.name),
    }


def _change(change: Change) -> dict[str, Any]:
    match change:
        case Set(path=path, value=value):
            return {"set": ".".join(path), "value": value}
        case AddPool():
            fields = {key: value for key, value in change.fields.items() if value is not None}
            dropped = [key for key, value in change.fields.items() if value is None]
            return {
                "addPool": change.name,
                "like": change.like,
                "fields": fields,
                "without": dropped,
                "quotas": dict(change.grants),
            }


def _share(value: float) -> float:
    return round(value, 4)


def _two(value: float) -> float:
    return round(value, 2)
