"""The two kinds of rules that Prometheus knows."""

from dataclasses import dataclass
from typing import Any, Literal

Severity = Literal["critical", "warning", "info"]
RUNBOOK = "docs/alerts.md"
SOURCE = "gpu-blueprint"
"""What the label ``source`` of every alert of ours says."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """A rule that keeps a result under a name of its own: level, what, how."""

    name: str
    expr: str
    about: str

    def as_rule(self) -> dict[str, Any]:
        """The rule as Prometheus reads it."""
        return {"record": self.name, "expr": self.expr}


@dataclass(frozen=True, slots=True, kw_only=True)
class Alert:
    """A rule that tells somebody; ``summary`` may use ``$labels`` and ``$value``."""

    name: str
    expr: str
    wait: str = "0m"
    """For how long it must hold before anybody is told."""
    severity: Severity
    subject: str
    summary: str
    costs: str
    """What it costs to let it be."""
    steps: tuple[str, ...]
    """What to do first, in order."""

    @property
    def runbook(self) -> str:
        """Where its section stands."""
        return f"{RUNBOOK}#{self.name.lower()}"

    def as_rule(self) -> dict[str, Any]:
        """The rule as Prometheus reads it."""
        notes = {
            "summary": self.summary,
            "costs": self.costs,
            "first_steps": "\n".join(f"{number}. {step}" for number, step in enumerate(self.steps, 1)),
            "runbook": self.runbook,
        }
        labels = {"severity": self.severity, "source": SOURCE}
        return {"alert": self.name, "expr": self.expr, "for": self.wait, "labels": labels, "annotations": notes}
