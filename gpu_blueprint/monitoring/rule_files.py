"""The groups of rules that Prometheus loads for a stack."""

from typing import Any

from ..catalog.namespaces import GPU_OPERATOR
from ..config import StackConfig
from ..records import replace
from .alerts import list_alerts
from .facts import list_fact_rules
from .queues import QUEUE_RECORDINGS
from .recording import GPU_RECORDINGS
from .rules import Alert

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
        {
            "name": "gpu-blueprint.alerts",
            "rules": [_name_operator(stack, rule).as_rule() for rule in list_alerts(stack)],
        },
    ]


def _name_operator(stack: StackConfig, alert: Alert) -> Alert:
    """Return an alert whose steps look for the GPU Operator in the namespace that it has in this cluster."""
    named, has = f"-n {GPU_OPERATOR} ", f"-n {stack.gpu_operator_namespace} "
    return replace(alert, steps=tuple(step.replace(named, has) for step in alert.steps))
