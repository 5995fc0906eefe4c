"""Waivers: exceptions to a rule for one resource, with a reason, an owner and a last day."""

from collections.abc import Sequence
from datetime import date

from gpu_blueprint.records import Record


class Waiver(Record):
    """The promise that one rule does not count for one resource through the day ``until``."""

    rule: str
    resource: str
    reason: str
    owner: str
    until: date


def find_waiver(waivers: Sequence[Waiver], rule: str, resource: str, today: date) -> Waiver | None:
    """Return the waiver in force for a rule and the name of a resource, if there is one."""
    matching = (
        waiver for waiver in waivers if (waiver.rule, waiver.resource) == (rule, resource) and today <= waiver.until
    )
    return next(matching, None)
