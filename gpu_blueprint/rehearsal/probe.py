"""A probe: a question that the engines answer."""

from collections.abc import Callable
from enum import IntEnum

from ..records import Record
from .outcome import Expectation, Outcome
from .stage import Stage


class Phase(IntEnum):
    """Parts of a rehearsal, in order. Karpenter avoids an offering for minutes after a refusal, so faults come last."""

    ONE = 1
    BURST = 2
    TENANTS = 3
    SERVICES = 4
    QUEUES = 5
    CEILING = 6
    CHANGES = 7
    FAULTS = 8


class Probe(Record, kw_only=True):
    """One question with its expected answer."""

    name: str
    """Stable name, such as ``infer-l4/burst``."""
    subject: str
    """Part of the stack, such as ``pool infer-l4``."""
    title: str
    phase: Phase
    expected: Expectation
    play: Callable[[Stage], Outcome]
    """Send pods, wait, and return their fates."""
    alone_in: frozenset[str] = frozenset()
    """Pools in which no other probe may run at the same time, because the choice of nodes is judged."""
    scenery: str = ""
    """State that probes of a phase share, such as a full pool: they play one after the other, without a clean-up."""
