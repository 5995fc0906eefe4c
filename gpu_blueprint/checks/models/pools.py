"""Models, compared with the purpose and the purchase of their pool, and with the time that its nodes leave."""

from collections.abc import Iterator

from ...config import StackConfig
from ...config.scalars import count_seconds
from ...cost.gpus import count_replicas
from ...problem import Problem
from ...subjects.models.drains import LEAVE_S, SPOT_S, STOP_S, find_most_grace, plan_drain
from .versions import PlacedVersion, list_versions

_SPOT = "spot"
_LEAST_REPLICAS = 2
_LEAST_ANSWER_S = 5
"""Seconds in which a server finishes even short requests."""


def refuse_drains_beyond_nodes(stack: StackConfig) -> Iterator[Problem]:
    """Refuse drains that take longer than the nodes of the pool leave to a pod."""
    for version in list_versions(stack):
        pool, drain = version.pool, plan_drain(version.pool, version.model)
        most = find_most_grace(pool)
        around = f"{LEAVE_S} s before it and {STOP_S} s after it"
        if version.model.drain and drain.grace > most:
            longest = most - LEAVE_S - STOP_S
            reason = f"a drain of {drain.answer} s takes {drain.grace} s ({around}), and {_explain_grace(version)}"
            hint = (
                f"write {longest}s or less" if longest > 0 else f"use a pool that leaves {LEAVE_S + STOP_S} s or more"
            )
            yield Problem("drain-beyond-node", version.locate("drain"), reason, hint, names=(pool.name,))
        elif version.model.drain and drain.answer < _LEAST_ANSWER_S:
            reason = f"a drain of {drain.answer} s breaks off each answer that takes longer"
            hint = f"write {_LEAST_ANSWER_S}s or more, or leave it out"
            yield Problem("drain-too-short", version.locate("drain"), reason, hint)
        elif drain.answer < _LEAST_ANSWER_S:
            reason = (
                f"{_explain_grace(version)}, and a replica needs {LEAVE_S} s before its last answers and {STOP_S} s"
            )
            reason += " after them"
            hint = "write a longer disruption.terminationGracePeriod there, or use another pool"
            yield Problem("pool-ends-replicas", version.locate("pool"), reason, hint, names=(pool.name,))


def _explain_grace(version: PlacedVersion) -> str:
    """Return words for the seconds that nodes leave, with their cause."""
    pool, most = version.pool, find_most_grace(version.pool)
    stated = pool.lifecycle.termination_grace_period
    is_spot = _SPOT in pool.purchase and (stated is None or count_seconds(stated) >= SPOT_S)
    cause = "spot" if is_spot else f"terminationGracePeriod {stated or '1h'}"
    return f"nodes of pool {pool.name} leave {most} s ({cause})"


def warn_of_models_in_other_pools(stack: StackConfig) -> Iterator[Problem]:
    """Warn of models in pools for other work, whose nodes come, stay and go as that work needs them."""
    for version in list_versions(stack):
        pool = version.pool
        if pool.purpose != "inference":
            reason = (
                f"pool {pool.name} is for {pool.purpose}, and consolidates, drains and replaces nodes for that work"
            )
            hint = "use a pool with purpose: inference"
            yield Problem("model-in-other-pool", version.locate("pool"), reason, hint, severity="warning")


def warn_of_lonely_replicas_on_spot(stack: StackConfig) -> Iterator[Problem]:
    """Warn of models that stand on one spot node, which leaves with two minutes' notice.

    Both versions of a model answer its callers, so that their replicas count together.
    """
    for version in list_versions(stack):
        least = version.entry.replicas.min
        if _SPOT in version.pool.purchase and 0 < least < _LEAST_REPLICAS:
            reason = f"{least} replica on spot: when EC2 takes its node back, nobody answers until another has loaded"
            path = ("models", version.index, "replicas", "min")
            yield Problem(
                "one-replica-on-spot", path, reason, "write 2, or use a pool without spot", severity="warning"
            )


def suggest_several_spot_nodes(stack: StackConfig) -> Iterator[Problem]:
    """Point out models of which one spot node may hold all least replicas: nothing spreads replicas over nodes."""
    for version in list_versions(stack):
        entry, pool = version.entry, version.pool
        rows = stack.list_instances(pool)
        if version.is_next or _SPOT not in pool.purchase or entry.replicas.min < _LEAST_REPLICAS or not rows:
            continue
        least = sum(each.replicas.min for each in entry.list_versions())
        counts = {row: count_replicas(pool, row, version.model.to_service()) for row in rows}
        largest = max(rows, key=lambda row: counts[row])
        most = counts[largest]
        if least > most:
            continue
        more = f"write min: {most + 1}, or " if most < entry.replicas.max else ""
        yield Problem(
            "replicas-on-one-spot-node",
            ("models", version.index, "replicas", "min"),
            f"{_name_all(least)} least replicas may stand on one node of pool {pool.name}, which holds up to {most} "
            f"({largest.instance_type}): when EC2 takes that spot node back, nobody answers until others have loaded",
            f"{more}use a pool without spot, or with room for one replica on each node",
            severity="note",
            names=(pool.name,),
        )


def _name_all(count: int) -> str:
    return "both" if count == _LEAST_REPLICAS else f"all {count}"
