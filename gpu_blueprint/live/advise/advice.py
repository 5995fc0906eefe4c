"""All that is proposed of a stack, what goes together, and why nothing is said of the rest."""

from collections.abc import Iterator
from dataclasses import dataclass

from ...config import Pool, StackConfig
from ...cost.pools import ON_DEMAND, kept
from .ceiling import lower_ceiling
from .moves import is_leaving, taken_in_advance, why_not
from .observed import Observed
from .proposal import Proposal
from .purchase import commit, give_back
from .quota import raise_quotas
from .right_size import right_size
from .share import share
from .spot import buy_on_spot, spread_spot

MUCH = 0.25
"""Part of the GPUs that ran which may be free: nodes come before their pods and go after them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """What is proposed, what would be instead of a move that is proposed, and what was not judged."""

    proposals: tuple[Proposal, ...]
    """Those that save most first; each can be done beside the others."""
    alternatives: tuple[Proposal, ...]
    """Moves of a pool of which another one is proposed."""
    silent: tuple[tuple[str, str], ...]
    """Pool, and why it is not said whether its work would fit on less."""
    free: tuple[tuple[str, str], ...]
    """Pool, and how many GPUs nobody held: what the stack file cannot change alone."""

    @property
    def saving(self) -> float:
        """Dollars a month that can be saved in all: the largest step of each pool, since steps of one pool overlap."""
        best: dict[str, float] = {}
        for one in self.proposals:
            best[one.pool] = max(best.get(one.pool, 0.0), one.saving or 0.0)
        return sum(best.values())


def advise(stack: StackConfig, seen: Observed) -> Advice:
    """Say what measured use would change."""
    proposals: list[Proposal] = []
    alternatives: list[Proposal] = []
    for pool in (pool for pool in stack.pools if not is_leaving(pool) and not seen.of(pool).unclear):
        first, others = _move(stack, pool, seen)
        proposals += [*first, *_in_place(stack, pool, seen, moves=bool(first))]
        alternatives += others
    proposals += [*give_back(stack, seen), *_quotas(stack, seen, proposals)]
    return Advice(
        proposals=tuple(sorted(proposals, key=lambda one: -(one.saving or 0.0))),
        alternatives=tuple(alternatives),
        silent=tuple(_silent(stack, seen, {one.pool for one in proposals if one.moves})),
        free=tuple(_free(stack, seen)),
    )


def _free(stack: StackConfig, seen: Observed) -> Iterator[tuple[str, str]]:
    for pool in stack.pools:
        use = seen.of(pool)
        free = use.gpus_mean - use.held_mean - kept(stack, pool, ON_DEMAND).warm
        if free >= 1 and free > MUCH * use.gpus_mean:
            text = (
                f"{free:.1f} of {use.gpus_mean:.1f} GPUs that ran were held by nobody: see which nodes stay, and why (its disruption, a "
                "NodeClaim that is stuck, the last pod of a large node)"
            )
            yield pool.name, text


def _silent(stack: StackConfig, seen: Observed, moved: set[str]) -> Iterator[tuple[str, str]]:
    for pool in stack.pools:
        use = seen.of(pool)
        if pool.name not in moved and (why := why_not(pool, use) or taken_in_advance(stack, pool, use)):
            yield pool.name, why


def _move(stack: StackConfig, pool: Pool, seen: Observed) -> tuple[list[Proposal], list[Proposal]]:
    """The move of a pool's work that saves most, and the next best of each kind."""
    sizes = list(right_size(stack, pool, seen))
    found = sorted([*sizes[:2], *share(stack, pool, seen)], key=lambda one: -(one.saving or 0.0))
    return found[:1], found[1:]


def _in_place(stack: StackConfig, pool: Pool, seen: Observed, *, moves: bool) -> Iterator[Proposal]:
    """Yield what changes the pool itself; what is about to be emptied needs no ceiling and deserves no commitment."""
    spot = list(buy_on_spot(stack, pool, seen))
    yield from spot
    yield from spread_spot(stack, pool, seen)
    if not moves:
        yield from lower_ceiling(stack, pool, seen)
        if not spot:
            yield from commit(stack, pool, seen)


def _quotas(stack: StackConfig, seen: Observed, others: list[Proposal]) -> Iterator[Proposal]:
    """Yield larger quotas of pools that are clear, and that nothing else makes smaller or empty."""
    passed_over = {one.pool for one in others if one.kind in ("right-size", "share", "ceiling")}
    passed_over |= {pool.name for pool in stack.pools if seen.of(pool).unclear}
    return (one for one in raise_quotas(stack, seen) if one.pool not in passed_over)
