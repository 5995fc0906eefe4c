"""One thing to change: why, what it saves, how sure that is, what it changes in the stack file and what to do next."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from .observed import Activity, Window

Kind = Literal["right-size", "share", "purchase", "ceiling", "quota"]
Level = Literal["high", "medium", "low"]
_LEVELS: tuple[Level, ...] = ("low", "medium", "high")

WEEK = 7.0
"""Days from which on a window has seen working days and a weekend."""
WELL_COVERED = 0.9
"""Part of the window that must have data for it to say something of the whole."""
SHORT = 2.0
"""Days below which a window has not even seen the same hour of the day twice."""
STEADY = 3.0
"""How many times the mean the 95th percentile may be before the load counts as coming in bursts."""


@dataclass(frozen=True, slots=True)
class Confidence:
    """How far the measurement carries, and why."""

    level: Level
    reason: str


def bursts(done: Activity) -> list[str]:
    """The doubt that a load in bursts deserves, if it comes so."""
    if done.sm_p95 <= STEADY * done.sm_mean:
        return []
    return [f"the load comes in bursts: p95 is {done.sm_p95:.0%}, the mean {done.sm_mean:.0%}"]


def confidence(window: Window, *doubts: str) -> Confidence:
    """Judge by the window, a level less for each doubt."""
    hours = window.days * 24 * window.coverage
    measured = f"{window.days:g} days, {window.coverage:.0%} of them measured"
    if hours < WEEK * 24 * WELL_COVERED:
        measured += ", less than a week"
    rank = (
        2 if window.days >= WEEK and window.coverage >= WELL_COVERED else 1 if hours >= SHORT * 24 * WELL_COVERED else 0
    )
    incomplete = ["the server warned that its answers are not whole"] if window.warnings else []
    rank = max(rank - len(doubts) - len(incomplete), 0)
    return Confidence(_LEVELS[rank], "; ".join((measured, *doubts, *incomplete)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Set:
    """Set a field, whose path names pools and tenants by their name and reservations by their id; None takes it away."""

    path: tuple[str, ...]
    value: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class AddPool:
    """Add a pool that is like another one but for some fields, with tenants' quotas; the other one stays until it is empty."""

    like: str
    name: str
    fields: Mapping[str, Any]
    """None takes a field away."""
    grants: Mapping[str, Any]
    """Tenant → its quota of the new pool."""


Change = Set | AddPool


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """What to change; ``subject`` is the pool, the tenant or the reservation."""

    kind: Kind
    subject: str
    pool: str
    title: str
    evidence: tuple[str, ...]
    saving: float | None
    """US dollars a month when it is done; below 0 what it costs at most, None where the bill stays as it is."""
    confidence: Confidence
    next: tuple[str, ...]
    changes: tuple[Change, ...] = ()

    @property
    def name(self) -> str:
        """What it is called among the proposals of a stack."""
        return f"{self.kind} {self.subject}: {self.title}"

    @property
    def moves(self) -> bool:
        """Whether work moves to another pool."""
        return any(isinstance(change, AddPool) for change in self.changes)
