"""Helm values of Kueue that would undo the queues of the stack file."""

from collections.abc import Iterator, Mapping
from typing import Any

from ...config import StackConfig
from ...problem import Problem

_OTHER_NAMES = "monitoring, network rules and docs/queues.md know Kueue's objects by the names and labels of the chart"
_REASONS: Mapping[tuple[str, ...], tuple[str, str]] = {
    ("managerConfig",): (
        "this text replaces Kueue's whole configuration: without its namespaces, jobs of the whole cluster stop while "
        "Kueue is down, and without its prices and exclusions no job starts",
        "set order, fair and readyTimeout in queueing, and remove it",
    ),
    ("controllerManager", "featureGates"): (
        "Kueue ends at its start if the chart gives feature gates too: the platform's configuration holds them",
        "remove it",
    ),
    ("fullnameOverride",): (_OTHER_NAMES, "remove it"),
    ("nameOverride",): (_OTHER_NAMES, "remove it"),
}
"""Path in the chart's values → reason and remedy."""
_NOTHING: tuple[Any, ...] = ({}, [], "")
"""Values that replace nothing."""


def refuse_helm_values_against_queues(stack: StackConfig) -> Iterator[Problem]:
    """Refuse Helm values that take away the configuration, the start or the names on which queues rely."""
    for path, (reason, hint) in _REASONS.items() if stack.queueing else ():
        parent: Any = stack.helm_overrides.kueue
        for part in path[:-1]:
            parent = parent.get(part)
        if isinstance(parent, dict) and parent.get(path[-1], "") not in _NOTHING:
            yield Problem("helm-value-against-queues", ("helmOverrides", "kueue", *path), reason, hint)
