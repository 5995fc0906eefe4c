"""A probe: a question that the engines answer."""

from collections.abc import Callable, Iterable
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
    LIMIT = 6
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
    """Pools in which no other probe may run at the same time, because the probe judges the choice of nodes."""
    scenery: str = ""
    """State that some probes of a phase share, such as a full pool: these play one after the other, without a
    clean-up."""


def make_pool_probe(
    pool: str,
    name: str,
    title: str,
    phase: Phase,
    expected: Expectation,
    play: Callable[[Stage], Outcome],
    *,
    alone_in: Iterable[str] | None = None,
    scenery: str = "",
) -> Probe:
    """Make a probe of a pool, by default alone in this pool."""
    return Probe(
        name=f"{pool}/{name}",
        subject=f"pool {pool}",
        title=title,
        phase=phase,
        expected=expected,
        play=play,
        alone_in=frozenset({pool} if alone_in is None else alone_in),
        scenery=scenery,
    )
