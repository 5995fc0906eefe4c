"""The rules of a stack as Prometheus reads them: the ``spec`` of a PrometheusRule, and a rule file."""

from typing import Any

from ..config import StackConfig
from .alerts import ALERTS
from .facts import facts
from .recording import RECORDINGS


def rule_groups(stack: StackConfig) -> list[dict[str, Any]]:
    """Constants, what is recorded, and alerts; the same for every stack but for the constants."""
    return [
        {"name": "gpu-blueprint.facts", "rules": list(facts(stack))},
        {"name": "gpu-blueprint.recording", "rules": [rule.as_rule() for rule in RECORDINGS]},
        {"name": "gpu-blueprint.alerts", "rules": [rule.as_rule() for rule in ALERTS]},
    ]
