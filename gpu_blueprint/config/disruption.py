"""When Karpenter may take a node away; the purpose of the pool sets the defaults.

docs/decisions/0004-purposes.md gives the reasons for the presets.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Annotated, Any, Literal

from pydantic import Field

from ..errors import Problem
from ..model import Model
from .scalars import Duration, DurationOrNever, count_seconds

Purpose = Literal["inference", "training", "notebook", "batch"]
Reason = Literal["Underutilized", "Empty", "Drifted"]
Policy = Literal["WhenEmpty", "WhenEmptyOrUnderutilized", "Balanced"]

_NODES = r"(100|[0-9]{1,2})%|[0-9]+"
_WINDOW = r"([0-9]+h[0-9]+m|[0-9]+(h|m))(0s)?"
_CRON_NAMES = r"@(annually|yearly|monthly|weekly|daily|midnight|hourly)"
_CRON_RANGES = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 6))
"""Least and most of each field: minute, hour, day of the month, month, day of the week."""
_CRON_WORDS = {
    word: str(n)
    for words, first in (("jan feb mar apr may jun jul aug sep oct nov dec", 1), ("sun mon tue wed thu fri sat", 0))
    for n, word in enumerate(words.split(), first)
}
_SOONEST_SECONDS = 600
"""Time in which a GPU node starts, loads drivers and pulls images."""


def _is_cron(text: str) -> bool:
    """Return whether Karpenter reads a text as a cron expression: five fields, or a name such as ``@daily``."""
    fields = text.lower().split()
    return bool(re.fullmatch(_CRON_NAMES, text)) or (
        len(fields) == 5 and all(map(_is_cron_field, fields, _CRON_RANGES))
    )


def _is_cron_field(field: str, allowed: tuple[int, int]) -> bool:
    return all(_is_cron_part(part, *allowed) for part in field.split(","))


def _is_cron_part(part: str, least: int, most: int) -> bool:
    """Return whether one part of a list is ``*``, a value or a range, with an optional step after ``/``."""
    span, slash, step = part.partition("/")
    if slash and not (step.isdecimal() and int(step)):
        return False
    ends = [_CRON_WORDS.get(end, end) for end in span.split("-")] if span not in ("*", "?") else []
    if len(ends) > 2 or not all(end.isdecimal() for end in ends):
        return False
    numbers = [int(end) for end in ends]
    return numbers == sorted(numbers) and all(least <= number <= most for number in numbers)


class Budget(Model):
    """The number of nodes that may be disrupted at once, always or in a window."""

    nodes: str
    """A count or a percentage, quoted: `"1"`, `"10%"`; `"0"` blocks disruption."""
    reasons: list[Reason] | None = Field(None, min_length=1)
    """The disruptions that the budget limits. Default: all. `"0"` without reasons also keeps empty nodes,
    which cost money."""
    schedule: str | None = None
    """Cron expression in UTC at which the window opens, such as `0 8 * * mon-fri`."""
    duration: str | None = None
    """Length of the window in hours and minutes, such as `10h`."""

    def problems(self) -> Iterator[Problem]:
        if not re.fullmatch(_NODES, self.nodes):
            reason = f"{self.nodes!r} is not a count or a percentage up to 100"
            yield Problem("not-a-node-budget", ("nodes",), reason, 'write a text such as "1" or "10%"')
        if (self.schedule is None) != (self.duration is None):
            reason = "a window needs both schedule and duration"
            yield Problem("window-incomplete", (), reason, "write both, or neither")
        if self.schedule is not None and not _is_cron(self.schedule):
            reason = f"{self.schedule!r} is not a cron expression of five fields"
            yield Problem("not-a-cron-schedule", ("schedule",), reason, "write one such as '0 8 * * mon-fri'")
        if self.duration is not None and not re.fullmatch(_WINDOW, self.duration):
            reason = f"{self.duration!r} is not a window in hours and minutes"
            yield Problem("not-a-window", ("duration",), reason, "write a duration such as 10h or 1h30m")


class Disruption(Model):
    """Overrides of the defaults that the pool's purpose sets."""

    consolidation_policy: Policy | None = None
    """The nodes that Karpenter may remove to save money."""
    consolidate_after: DurationOrNever | None = None
    """Time for which a node must be removable before Karpenter removes it."""
    expire_after: DurationOrNever | None = None
    """Age at which Karpenter replaces a node by force, whatever runs on it."""
    termination_grace_period: Duration | None = None
    """Longest time that pods get to end before Karpenter removes their node."""
    budgets: Annotated[list[Budget], Field(min_length=1, max_length=50)] | None = None
    """Limits on simultaneous disruption."""

    @property
    def keeps_empty_nodes(self) -> bool:
        """True if Karpenter never removes an empty node."""
        always = [budget for budget in self.budgets or [] if budget.schedule is None]
        return self.consolidate_after == "Never" or any(
            budget.nodes in ("0", "0%") and "Empty" in (budget.reasons or ["Empty"]) for budget in always
        )

    def problems(self) -> Iterator[Problem]:
        if self.expire_after not in (None, "Never") and count_seconds(self.expire_after) < _SOONEST_SECONDS:
            reason = f"{self.expire_after!r} ends nodes about when their drivers and images are loaded"
            yield Problem("expires-too-soon", ("expireAfter",), reason, "write hours, or Never")

    def override(self, preset: "Disruption") -> "Disruption":
        """Return the preset with the values that are set here."""
        return preset.model_copy(
            update={name: value for name in type(self).model_fields if (value := getattr(self, name)) is not None}
        )


_ONLY_EMPTY: list[dict[str, Any]] = [
    {"nodes": "100%", "reasons": ["Empty"]},
    {"nodes": "0", "reasons": ["Underutilized", "Drifted"]},
]
_WORKING_HOURS: list[dict[str, Any]] = [
    {"nodes": "1"},
    {"nodes": "0", "reasons": ["Underutilized", "Drifted"], "schedule": "0 6 * * mon-fri", "duration": "14h"},
]
_SLOW_DRIFT: list[dict[str, Any]] = [
    {"nodes": "100%", "reasons": ["Empty"]},
    {"nodes": "10%", "reasons": ["Drifted"]},
]


@cache
def find_preset(purpose: Purpose) -> Disruption:
    """Return the defaults of a purpose."""
    match purpose:
        case "inference":
            return _preset("WhenEmptyOrUnderutilized", "10m", "336h", "15m", [{"nodes": "10%"}])
        case "training":
            return _preset("WhenEmpty", "10m", "Never", "24h", _ONLY_EMPTY)
        case "notebook":
            return _preset("WhenEmpty", "30m", "Never", "1h", _WORKING_HOURS)
        case "batch":
            return _preset("WhenEmpty", "5m", "336h", "4h", _SLOW_DRIFT)


def _preset(
    policy: Policy, consolidate_after: str, expire_after: str, grace_period: str, budgets: list[dict[str, Any]]
) -> Disruption:
    return Disruption.model_validate(
        {
            "consolidationPolicy": policy,
            "consolidateAfter": consolidate_after,
            "expireAfter": expire_after,
            "terminationGracePeriod": grace_period,
            "budgets": budgets,
        }
    )
