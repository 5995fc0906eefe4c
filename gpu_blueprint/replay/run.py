"""The replay of a load on a stack."""

import random
from collections import Counter
from collections.abc import Sequence

from ..records import Record
from .jobs import Load
from .offers import Offer
from .outcome import Outcome, Refusals, sum_up
from .placing import Placed, Refused, place
from .pool_run import PoolRun
from .tally import Tally, count_asked


class PoolReplay(Record):
    """A pool, its jobs in each stretch, and the sums of their simulation."""

    offer: Offer
    placed: tuple[tuple[Placed, ...], ...]
    tally: Tally


class StackReplay(Record):
    """The replay of a load on all pools of a stack."""

    name: str
    days: int
    pools: tuple[PoolReplay, ...]
    refusals: Refusals

    @property
    def total(self) -> Outcome:
        """The numbers of the stack."""
        return sum_up(self.name, self.days, (pool.tally for pool in self.pools), self.refusals)

    @property
    def by_pool(self) -> list[Outcome]:
        """The numbers of each pool."""
        return [sum_up(pool.offer.name, self.days, [pool.tally]) for pool in self.pools]


def replay_stack(
    name: str, offers: Sequence[Offer], load: Load, *, reclaims_an_hour: float = 0.0, known: StackReplay | None = None
) -> StackReplay:
    """Simulate a load on the pools of a stack; the same arguments give the same numbers.

    Args:
        name: Name of the stack.
        offers: Its pools.
        load: The jobs.
        reclaims_an_hour: Chance that EC2 takes a spot node back within an hour.
        known: An earlier replay with the same chance; pools with the settings and jobs of then are not simulated again.
    """
    placed: dict[str, list[list[Placed]]] = {offer.name: [[] for _ in load.stretches] for offer in offers}
    reasons: Counter[str] = Counter()
    asked, unmeasured = 0.0, 0
    for position, stretch in enumerate(load.stretches):
        for job in stretch.jobs:
            found = place(job, offers)
            if isinstance(found, Refused):
                reasons[found.reason] += 1
                asked += count_asked((job.used or 0.0) * job.gpus, job.submit_s, job.duration_s, stretch.length_s)
                unmeasured += job.used is None
            else:
                placed[found[0].name][position].append(found[1])
    pools = (
        _replay_pool(offer, tuple(map(tuple, placed[offer.name])), load, reclaims_an_hour, known) for offer in offers
    )
    return StackReplay(name, load.days, tuple(pools), Refusals(dict(reasons), asked, unmeasured))


def _replay_pool(
    offer: Offer,
    placed: tuple[tuple[Placed, ...], ...],
    load: Load,
    reclaims_an_hour: float,
    known: StackReplay | None,
) -> PoolReplay:
    for pool in known.pools if known else ():
        if pool.offer == offer and pool.placed == placed:
            return pool
    tally = Tally()
    for number, (stretch, jobs) in enumerate(zip(load.stretches, placed, strict=True)):
        source = random.Random(f"{offer.name} {number}")  # noqa: S311  a simulation, and no secret
        PoolRun(offer, stretch, tally, source, reclaims_an_hour).simulate(jobs)
    return PoolReplay(offer, placed, tally)
