"""The rules under test, by name."""

from collections import defaultdict
from functools import cache
from typing import Any

from gpu_blueprint.monitoring import ALERTS, RECORDINGS, build_rule_groups
from gpu_blueprint.monitoring.rule_files import FACTS

from ...support import builders
from ...support.promql import list_series
from .case import STACK

ALERT_NAMES = [alert.name for alert in ALERTS]
RECORDED = [*FACTS, *(rule.name for rule in RECORDINGS)]


@cache
def rules_by_name() -> dict[str, list[dict[str, Any]]]:
    """Map the name of an alert or a recorded series to its rules; a constant has several."""
    found: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for group in build_rule_groups(builders.config(**STACK)):
        for rule in group["rules"]:
            found[rule.get("record") or rule["alert"]].append(rule)
    return found


def list_rules(name: str) -> list[dict[str, Any]]:
    """Return the rules of a name, after the rules of all recorded series that they read."""
    needed, todo = {name}, [name]
    while todo:
        for rule in rules_by_name()[todo.pop()]:
            new = {metric for metric, _ in list_series(rule["expr"]) if metric in RECORDED} - needed
            needed |= new
            todo += new
    return [rule for known, rules in rules_by_name().items() if known in needed for rule in rules]
