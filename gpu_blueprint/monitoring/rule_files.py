"""The groups of rules that Prometheus loads for a stack."""

from typing import Any

from ..config import StackConfig
from .alerts import list_alerts
from .facts import list_fact_rules
from .queues import QUEUE_RECORDINGS
from .recording import GPU_RECORDINGS

RECORDINGS = (*GPU_RECORDINGS, *QUEUE_RECORDINGS)
"""All recording rules, in the order in which Prometheus evaluates them."""


def build_rule_groups(stack: StackConfig) -> list[dict[str, Any]]:
    """Return the rule groups of a stack: the ``groups`` of a PrometheusRule or of a rule file.

    The first group holds the stack's own numbers. A stack without queues has no rules about queues.
    """
    recordings = RECORDINGS if stack.queueing else GPU_RECORDINGS
    return [
        {"name": "gpu-blueprint.facts", "rules": list(list_fact_rules(stack))},
        {"name": "gpu-blueprint.recording", "rules": [rule.as_rule() for rule in recordings]},
        {"name": "gpu-blueprint.alerts", "rules": [rule.as_rule() for rule in list_alerts(stack)]},
    ]
