"""Exceptions to a rule: for one resource, with a reason, an owner and an end."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True)
class Waiver:
    """One rule does not count for one resource until a day, that day included."""

    rule: str
    resource: str
    reason: str
    owner: str
    until: date


def waiver_of(waivers: Sequence[Waiver], rule: str, resource: str, today: date) -> Waiver | None:
    """The waiver in force for a rule and a resource's name, if there is one."""
    fitting = (one for one in waivers if (one.rule, one.resource) == (rule, resource) and today <= one.until)
    return next(fitting, None)
