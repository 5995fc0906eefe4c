"""When Karpenter may take a node away, by purpose of the pool.

Why the presets are as they are: docs/decisions/0004-purposes.md.
"""

import re
from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from ..errors import Problem
from ..model import Model
from .scalars import Duration, DurationOrNever, seconds

Purpose = Literal["inference", "training", "notebook", "batch"]
Reason = Literal["Underutilized", "Empty", "Drifted"]
Policy = Literal["WhenEmpty", "WhenEmptyOrUnderutilized", "Balanced"]

_NODES = re.compile(r"(100|[0-9]{1,2})%|[0-9]+")
_CRON_NAMES = re.compile(r"@(annually|yearly|monthly|weekly|daily|midnight|hourly)")
_CRON_RANGES = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 6))
_CRON_WORDS = {
    word: str(n)
    for words, first in (("jan feb mar apr may jun jul aug sep oct nov dec", 1), ("sun mon tue wed thu fri sat", 0))
    for n, word in enumerate(words.split(), first)
}
SOONEST_SECONDS = 600
"""For so long a GPU node starts, loads drivers and pulls images."""
_WINDOW = re.compile(r"([0-9]+h[0-9]+m|[0-9]+(h|m))(0s)?")


def is_cron(text: str) -> bool:
    """Whether a text is a cron expression as Karpenter reads it: five fields, or a name such as ``@daily``."""
    fields = text.lower().split()
    return bool(_CRON_NAMES.fullmatch(text)) or (len(fields) == 5 and all(map(_is_cron_field, fields, _CRON_RANGES)))


def _is_cron_field(field: str, allowed: tuple[int, int]) -> bool:
    for part in field.split(","):
        span, _, step = part.partition("/")
        ends = [_CRON_WORDS.get(end, end) for end in span.split("-")] if span not in ("*", "?") else []
        if (
            ("/" in part and not (step.isdecimal() and int(step)))
            or len(ends) > 2
            or not all(end.isdecimal() for end in ends)
        ):
            return False
        numbers = [int(end) for end in ends]
        if numbers != sorted(numbers) or not all(allowed[0] <= number <= allowed[1] for number in numbers):
            return False
    return True


class Budget(Model):
    """How many nodes may be disrupted at once, always or in a window."""

    nodes: str
    """A count or a percentage, quoted: `"1"`, `"10%"`; `"0"` blocks disruption."""
    reasons: list[Reason] | None = Field(None, min_length=1)
    """Which disruptions it limits; all unless given. `"0"` without reasons also keeps empty nodes, and their bill."""
    schedule: str | None = None
    """Cron expression in UTC at which the window opens, such as `0 8 * * mon-fri`."""
    duration: str | None = None
    """How long the window stays open, in hours and minutes, such as `10h`."""

    def problems(self) -> Iterator[Problem]:
        if not _NODES.fullmatch(self.nodes):
            yield Problem(
                "todo", ("nodes",), f'{self.nodes!r} is not a count or a percentage up to 100, such as "1" or "10%"'
            )
        if (self.schedule is None) != (self.duration is None):
            yield Problem("todo", (), "schedule and duration go together: a window needs both")
        if self.schedule is not None and not is_cron(self.schedule):
            yield Problem(
                "todo",
                ("schedule",),
                f"{self.schedule!r} is not a cron expression of five fields, such as '0 8 * * mon-fri'",
            )
        if self.duration is not None and not _WINDOW.fullmatch(self.duration):
            yield Problem(
                "todo", ("duration",), f"{self.duration!r} is not a window in hours and minutes, such as 10h or 1h30m"
            )


class Disruption(Model):
    """Overrides of what the pool's purpose sets; leave out what should stay."""

    consolidation_policy: Policy | None = None
    """Which nodes Karpenter may remove to save money."""
    consolidate_after: DurationOrNever | None = None
    """How long a node must be removable before it is removed."""
    expire_after: DurationOrNever | None = None
    """Age at which a node is replaced by force, whatever runs on it."""
    termination_grace_period: Duration | None = None
    """Longest time that pods get to end before a node goes."""
    budgets: Annotated[list[Budget], Field(min_length=1, max_length=50)] | None = None
    """Limits on simultaneous disruption."""

    @property
    def keeps_empty_nodes(self) -> bool:
        """Whether no empty node is ever removed."""
        always = [budget for budget in self.budgets or [] if budget.schedule is None]
        return self.consolidate_after == "Never" or any(
            budget.nodes in ("0", "0%") and "Empty" in (budget.reasons or ["Empty"]) for budget in always
        )

    def problems(self) -> Iterator[Problem]:
        if self.expire_after not in (None, "Never") and seconds(self.expire_after) < SOONEST_SECONDS:
            text = f"{self.expire_after!r} ends nodes about when their drivers and images are there; give it hours, or Never"
            yield Problem("todo", ("expireAfter",), text)

    def over(self, preset: "Disruption") -> "Disruption":
        """Lay these values over a preset's."""
        return preset.model_copy(
            update={name: value for name in type(self).model_fields if (value := getattr(self, name)) is not None}
        )


def _preset(
    policy: Policy, consolidate_after: str, expire_after: str, grace: str, *budgets: dict[str, object]
) -> Disruption:
    return Disruption.model_validate(
        {
            "consolidationPolicy": policy,
            "consolidateAfter": consolidate_after,
            "expireAfter": expire_after,
            "terminationGracePeriod": grace,
            "budgets": list(budgets),
        }
    )


PRESETS: dict[Purpose, Disruption] = {
    "inference": _preset("WhenEmptyOrUnderutilized", "10m", "336h", "15m", {"nodes": "10%"}),
    "training": _preset(
        "WhenEmpty", "10m", "Never", "24h",
        {"nodes": "100%", "reasons": ["Empty"]}, {"nodes": "0", "reasons": ["Underutilized", "Drifted"]},
    ),
    "notebook": _preset(
        "WhenEmpty", "30m", "Never", "1h",
        {"nodes": "1"}, {"nodes": "0", "reasons": ["Underutilized", "Drifted"], "schedule": "0 6 * * mon-fri", "duration": "14h"},
    ),
    "batch": _preset("WhenEmpty", "5m", "336h", "4h", {"nodes": "100%", "reasons": ["Empty"]}, {"nodes": "10%", "reasons": ["Drifted"]}),
}  # fmt: skip
