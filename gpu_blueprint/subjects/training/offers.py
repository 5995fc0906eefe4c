"""A training run on nodes that are bought in one way: its days, its dollars, and how often it saves."""

from functools import cached_property

from ...catalog.purchases import Purchase
from ...cost.money import Usd
from ...records import Record
from .wall_time import Disturbances

_OFTEN = 1.0
"""Hours from the begin of a checkpoint to the begin of the next that the plan advises, unless the best is less."""
_MOST_WRITING = 1 / 20
"""Share of the time that checkpoints may take before the plan advises fewer."""
_SECONDS_AN_HOUR = 3600
_LONGEST = 100
"""A run that takes so many times its work never ends, as nobody waits for it."""


class Purchased(Record, kw_only=True, dict=True):
    """The run on nodes that are bought in one way."""

    purchase: Purchase
    is_of_pool: bool
    """True if the pool buys in this way."""
    work: float
    """Hours of computing without interruptions."""
    disturbances: Disturbances
    checkpoint_gib: float
    node_hour: Usd
    """Dollars an hour of all nodes with their disks."""
    note: str = ""
    month: str = ""
    """Words of the month on spot if it is no usual one."""

    @property
    def label(self) -> str:
        """The way to buy in words, such as ``spot, bad month``."""
        return f"{self.purchase}, {self.month}" if self.month else self.purchase

    @cached_property
    def longest(self) -> float:
        """Hours of computing between two checkpoints that lose least, if nothing but hardware and EC2 ends the run.

        An upper bound: people's own faults, hangs and the queue end most runs, and nobody knows their rate.
        """
        return self.disturbances.find_interval(self.work)

    @cached_property
    def interval(self) -> float:
        """Hours of computing between two checkpoints that the plan advises: no more than ``longest``."""
        write = self.disturbances.write
        return min(max(_OFTEN, write / _MOST_WRITING) - write, self.longest)

    @cached_property
    def hours(self) -> float:
        """Expected hours from the first step to the last; infinite if the run never ends."""
        return self.disturbances.expect_wall_time(self.work, self.interval)

    @property
    def hours_between(self) -> float:
        """Hours from the begin of a checkpoint to the begin of the next."""
        return self.interval + self.disturbances.write

    @property
    def most_hours_between(self) -> float:
        """Hours from the begin of a checkpoint to the begin of the next at most."""
        return self.longest + self.disturbances.write

    @property
    def seconds_between(self) -> int:
        """Seconds from the begin of a checkpoint to the begin of the next, rounded to three digits."""
        return round(float(f"{self.hours_between * _SECONDS_AN_HOUR:.3g}")) or 1

    @property
    def ends(self) -> bool:
        """False if interruptions leave the run hardly any time to compute."""
        return self.hours <= _LONGEST * self.work

    @property
    def lost(self) -> float:
        """Share of the hours that is no computing: checkpoints, lost work and restarts."""
        return 1 - self.work / self.hours

    @property
    def least_lost(self) -> float:
        """Share of the hours that is no computing with checkpoints as rare as ``longest``."""
        return 1 - self.work / self.disturbances.expect_wall_time(self.work, self.longest)

    @property
    def interruptions(self) -> float:
        """Expected interruptions of the whole run."""
        return self.disturbances.rate * self.hours

    @property
    def checkpoints(self) -> float:
        """Checkpoints of the whole run, without those that a notice asks for and those of work that is done again."""
        return max(self.work / self.interval, 1)

    @property
    def loss(self) -> float:
        """Expected hours that an interruption costs, on average over failures and reclaims."""
        run, losing = self.disturbances, self.disturbances.find_loss(self.interval)
        if not run.saves_at_notice:
            return losing
        saving = run.write + run.restart
        return (run.failures * losing + run.reclaims * saving) / run.rate

    @property
    def nodes_usd(self) -> Usd:
        """Dollars of the nodes, which wait and are paid while the run restarts."""
        return self.node_hour * self.hours if self.ends else Usd(unknown=frozenset({"a run that never ends"}))
