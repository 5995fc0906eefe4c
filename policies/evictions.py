"""Rule for PodDisruptionBudgets that no drain of a node can get past."""

from collections.abc import Iterator
from math import ceil

from .effects.namespaces import read_name, read_namespace
from .resources import Resource, Stack
from .rule import Report, Rule, Settings
from .values import read_number

_WORKLOADS = ("Deployment", "StatefulSet")


def _refuse_blocking_budget(budget: Resource, report: Report, _: Settings, stack: Stack) -> None:
    if _count(budget, "maxUnavailable", 1) == 0:
        report(f"PodDisruptionBudget {read_name(budget)} lets no pod go, so it blocks each drain of its nodes")
    for workload in _list_workloads(budget, stack):
        replicas = _find_least(workload, stack)
        least = _count(budget, "minAvailable", replicas)
        if least is not None and least >= replicas:
            report(
                f"PodDisruptionBudget {read_name(budget)} keeps all {replicas} replicas that {read_name(workload)} may "
                "have, so it blocks each drain of their nodes"
            )


def _count(budget: Resource, field: str, replicas: int) -> int | None:
    """Return the pods that an amount means; Kubernetes rounds a part of a pod up. None if the field has no value."""
    text = budget.read_text("spec", field)
    if not text:
        return None
    number = read_number(text.removesuffix("%"), field)
    return ceil(number * replicas / 100) if text.endswith("%") else int(number)


def _list_workloads(budget: Resource, stack: Stack) -> Iterator[Resource]:
    """Yield the workloads whose pods a budget counts."""
    chosen = budget.read_block("spec", "selector", "matchLabels")
    for workload in stack.select(*_WORKLOADS):
        labels = workload.read_block("spec", "template", "metadata", "labels")
        is_same = read_namespace(workload) == read_namespace(budget)
        if chosen and is_same and chosen.items() <= labels.items():
            yield workload


def _find_least(workload: Resource, stack: Stack) -> int:
    """Return the fewest replicas with which a workload runs: as its autoscaler says, or else as it says itself."""
    for scaler in stack.select("ScaledObject"):
        is_same = read_namespace(scaler) == read_namespace(workload)
        if is_same and scaler.read_text("spec", "scaleTargetRef", "name") == read_name(workload):
            return _read_replicas(scaler, "minReplicaCount")
    return _read_replicas(workload, "replicas")


def _read_replicas(resource: Resource, field: str) -> int:
    """Return a number of replicas; a workload without any runs with at least one when it wakes."""
    value = resource.get("spec", field)
    return int(read_number(value, field)) if value else 1


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
