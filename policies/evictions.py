"""Rule for PodDisruptionBudgets that no drain of a node can get past."""

from collections.abc import Iterator, Mapping
from math import ceil
from typing import Any

from .effects.namespaces import read_name, read_namespace
from .resources import Resource, Stack
from .rule import Report, Rule, Settings
from .values import read_mapping, read_number, read_text

_WORKLOADS = ("Deployment", "StatefulSet")


def _refuse_blocking_budget(budget: Resource, report: Report, _: Settings, stack: Stack) -> None:
    most, least = (budget.get("spec", field) for field in ("maxUnavailable", "minAvailable"))
    if most is not None and _count(most, 100, "maxUnavailable") == 0:
        report(f"PodDisruptionBudget {read_name(budget)} lets no pod go, so it blocks each drain of its nodes")
    for workload, replicas in _list_workloads(budget, stack) if least is not None else ():
        if _count(least, replicas, "minAvailable") >= replicas:
            report(
                f"PodDisruptionBudget {read_name(budget)} keeps {least} of the {replicas} replicas that "
                f"{read_name(workload)} may have, so it blocks each drain of their nodes"
            )


def _count(amount: Any, replicas: int, where: str) -> int:
    """Return the pods that an amount means; Kubernetes rounds a part of a pod up."""
    text = read_text(amount, where)
    number = read_number(text.removesuffix("%"), where)
    return ceil(number * replicas / 100) if text.endswith("%") else int(number)


def _list_workloads(budget: Resource, stack: Stack) -> Iterator[tuple[Resource, int]]:
    """Yield the workloads whose pods a budget counts, and the fewest replicas that they run with; none is no pod."""
    chosen = budget.read_block("spec", "selector", "matchLabels")
    for workload in stack.select(*_WORKLOADS):
        labels = workload.read_block("spec", "template", "metadata", "labels")
        is_same = read_namespace(workload) == read_namespace(budget)
        if chosen and is_same and chosen.items() <= labels.items():
            yield workload, max(1, _find_least(workload, stack))


def _find_least(workload: Resource, stack: Stack) -> int:
    """Return the fewest replicas of a workload: as its autoscaler says, or else as it says itself."""
    for scaler in stack.select("ScaledObject"):
        target = read_text(_read_target(scaler).get("name"), "scaleTargetRef.name")
        if target == read_name(workload) and read_namespace(scaler) == read_namespace(workload):
            return int(read_number(scaler.get("spec", "minReplicaCount", default=0), "minReplicaCount"))
    return int(read_number(workload.get("spec", "replicas", default=1), "replicas"))


def _read_target(scaler: Resource) -> Mapping[str, Any]:
    return read_mapping(scaler.get("spec", "scaleTargetRef"), "scaleTargetRef")


RULES = (
    Rule(
        id="drain-not-blocked",
        kinds=("PodDisruptionBudget",),
        check=_refuse_blocking_budget,
        needs_stack=True,
        looks_at="PodDisruptionBudgets, and the replicas of the Deployments and StatefulSets that they "
        "count in the same program, which a ScaledObject may lower",
        passes="at least one pod may go when the fewest replicas run",
        fails="maxUnavailable is 0, or minAvailable keeps every replica",
        why="Karpenter neither consolidates nor replaces the node until its grace ends, and a spot node goes with the "
        "pods on it unwarned",
        fix="write maxUnavailable: 1",
    ),
)
