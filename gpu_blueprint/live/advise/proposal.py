"""A proposal: its reason, its saving, its confidence, its changes of the stack file and the next steps."""

from collections.abc import Mapping
from typing import Any, Literal

from ...records import Record
from .observed import Activity, Window

Kind = Literal["right-size", "share", "purchase", "ceiling", "quota"]
Level = Literal["high", "medium", "low"]

WEEK = 7.0
"""A window of this many days contains working days and a weekend."""
WELL_COVERED = 0.9
"""Part of the window that must have data before it represents the whole."""
SHORT = 2.0
"""A window of fewer days contains no hour of the day twice."""
STEADY = 3.0
"""A load comes in bursts if its 95th percentile is more than this many times its mean."""


class Confidence(Record):
    """The degree to which the measurements support a proposal, and the reason."""

    level: Level
    reason: str


def list_burst_doubts(activity: Activity) -> list[str]:
    """Return a doubt if the load comes in bursts, or an empty list."""
    if activity.sm_p95 <= STEADY * activity.sm_mean:
        return []
    return [f"the load comes in bursts: p95 is {activity.sm_p95:.0%}, the mean {activity.sm_mean:.0%}"]


def judge_confidence(window: Window, *doubts: str) -> Confidence:
    """Start from the level of the window, and lower it by a level for each doubt."""
    hours = window.days * 24 * window.coverage
    measured = f"{window.days:g} days, {window.coverage:.0%} of them measured"
    if hours < WEEK * 24 * WELL_COVERED:
        measured += ", less than a week"
    if window.warnings:
        doubts += ("the server warned that its answers are incomplete",)
    levels: list[Level] = ["low", "medium", "high"]
    if hours < SHORT * 24 * WELL_COVERED:
        rank = 0
    elif window.days < WEEK or window.coverage < WELL_COVERED:
        rank = 1
    else:
        rank = 2
    return Confidence(levels[max(rank - len(doubts), 0)], "; ".join((measured, *doubts)))


class Set(Record, kw_only=True):
    """Set a field. Its path has the names of pools and tenants and the ids of reservations; None removes the field."""

    path: tuple[str, ...]
    value: Any


class AddPool(Record, kw_only=True):
    """Add a pool that differs from another pool in some fields, with tenants' quotas. The other pool stays."""

    like: str
    name: str
    fields: Mapping[str, Any]
    """Changed fields; the value None removes a field."""
    grants: Mapping[str, Any]
    """Tenant → its quota in the new pool."""


Change = Set | AddPool


class Proposal(Record, kw_only=True):
    """One proposed change of a stack."""

    kind: Kind
    subject: str
    """The pool, the tenant or the reservation."""
    pool: str
    title: str
    evidence: tuple[str, ...]
    saving: float | None
    """US dollars a month after the change. Below 0: the highest extra cost. None: the bill does not change."""
    confidence: Confidence
    next: tuple[str, ...]
    changes: tuple[Change, ...] = ()

    @property
    def name(self) -> str:
        """A name that is unique among the proposals of a stack."""
        return f"{self.kind} {self.subject}: {self.title}"

    @property
    def moves(self) -> bool:
        """True if work moves to another pool."""
        return any(isinstance(change, AddPool) for change in self.changes)
