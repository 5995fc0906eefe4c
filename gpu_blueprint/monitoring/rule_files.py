"""The groups of rules that Prometheus loads for a stack."""

from typing import Any

from ..config import StackConfig
from .alerts import ALERTS
from .facts import list_fact_rules
from .recording import RECORDINGS


def build_rule_groups(stack: StackConfig) -> list[dict[str, Any]]:
    """Return the rule groups of a stack: the ``groups`` of a PrometheusRule or of a rule file.

    Only the first group depends on the stack.
    """
    return [
        {"name": "gpu-blueprint.facts", "rules": list(list_fact_rules(stack))},
        {"name": "gpu-blueprint.recording", "rules": [rule.as_rule() for rule in RECORDINGS]},
        {"name": "gpu-blueprint.alerts", "rules": [rule.as_rule() for rule in ALERTS]},
    ]
