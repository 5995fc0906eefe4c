"""A subject's alerts and series."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ..config import StackConfig
from ..records import Record
from .rules import Alert, Recording

Condition = Callable[[StackConfig], bool]


def is_in_every_stack(_: StackConfig) -> bool:
    """Return True: most alerts, pages and series need only pools."""
    return True


class Alerts(Record, kw_only=True):
    """The alerts of a subject, and which stacks have them."""

    alerts: tuple[Alert, ...]
    when: Condition = is_in_every_stack
    needs: str = ""
    """The condition in prose, for the runbook, such as "`queueing`"; empty if every stack has the alerts."""


class Series(Record, kw_only=True):
    """The recorded series about a subject, and which stacks have the recording rules."""

    constants: Mapping[str, str]
    """Name of a series with values from the stack file and the catalogue → its meaning."""
    build_constants: Callable[[StackConfig], Iterator[dict[str, Any]]]
    """Yield a recording rule for each value of a constant series."""
    recordings: tuple[Recording, ...] = ()
    when: Condition = is_in_every_stack
