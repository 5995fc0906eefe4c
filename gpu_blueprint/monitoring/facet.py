"""Monitoring: the alerts and the series that a subject gives to Prometheus."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ..config import StackConfig
from ..records import Record
from .rules import Alert, Recording

Condition = Callable[[StackConfig], bool]


def is_in_every_stack(_: StackConfig) -> bool:
    """Return True: most alerts, pages and series need nothing of a stack but its pools."""
    return True


class Alerts(Record, kw_only=True):
    """The alerts of a subject, and the stacks that have them."""

    alerts: tuple[Alert, ...]
    when: Condition = is_in_every_stack
    needs: str = ""
    """The condition in words for the runbook, such as "`queueing`"; empty if every stack has the alerts."""


class Series(Record, kw_only=True):
    """The series that Prometheus computes about a subject, and the stacks that have its recording rules."""

    constants: Mapping[str, str]
    """Name of a series whose value only the stack file and the catalog know → its meaning."""
    build_constants: Callable[[StackConfig], Iterator[dict[str, Any]]]
    """Yields a recording rule for each value of a constant series."""
    recordings: tuple[Recording, ...] = ()
    when: Condition = is_in_every_stack
