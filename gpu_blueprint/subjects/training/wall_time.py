"""The time that a run takes when it is interrupted at random: checkpoints, lost work and restarts.

All times are hours of the clock, and all rates are interruptions an hour of the whole run.

Sources: J. W. Young, "A first order approximation to the optimum checkpoint interval", Communications of the ACM
17 (9), 1974; J. T. Daly, "A higher order estimate of the optimum checkpoint interval for restart dumps", Future
Generation Computer Systems 22 (3), 2006, whose examples are known answers of the tests.
"""

from math import exp, expm1, inf, sqrt

from ...records import Record

_LARGEST_EXPONENT = 700.0
"""A float holds no larger power of e; a run that long never ends."""


def find_young_interval(write: float, between: float) -> float:
    """Return Young's interval √(2·C·M) between checkpoints, from the time C of a checkpoint and the mean time M between
    interruptions."""
    return sqrt(2 * write * between)


def find_daly_interval(write: float, between: float) -> float:
    """Return Daly's interval, √(2·C·M)·(1 + ⅓·√(C/2M) + ⅑·C/2M) − C, and M where a checkpoint takes 2·M or more.

    It is the work between the end of a checkpoint and the start of the next (Daly 2006, equation 37).
    """
    if write >= 2 * between:
        return between
    part = write / (2 * between)
    return find_young_interval(write, between) * (1 + sqrt(part) / 3 + part / 9) - write


class Disturbances(Record, kw_only=True):
    """The interruptions of one run, each of which ends all of its nodes, and the times that they cost."""

    failures: float
    """Failures of hardware; work since the last checkpoint is lost. More than 0."""
    reclaims: float = 0.0
    """Nodes that EC2 takes back with a notice."""
    write: float
    """Time of a checkpoint, in which nothing is computed. More than 0."""
    restart: float
    """Time from an interruption to the first step after it."""
    saves_at_notice: bool = False
    """True if a last checkpoint fits into the notice, so that a reclaim loses no work."""

    @property
    def rate(self) -> float:
        """All interruptions."""
        return self.failures + self.reclaims

    @property
    def losing(self) -> float:
        """The interruptions that lose work."""
        return self.failures if self.saves_at_notice else self.rate

    def find_loss(self, interval: float) -> float:
        """Return the expected time that an interruption with lost work costs: work since the checkpoint, and restart.

        A segment of the length S, interval and checkpoint, loses M − S/(e^(S/M) − 1) when it is interrupted: about S/2.
        """
        segment = (interval + self.write) * self.losing
        if segment > _LARGEST_EXPONENT:
            return 1 / self.losing + self.restart
        return 1 / self.losing - (interval + self.write) / expm1(segment) + self.restart

    def find_interval(self, work: float) -> float:
        """Return the best work between two checkpoints, at most the whole work of the run.

        Every interruption counts as a loss, since EC2 gives its notices on a best effort basis only.
        """
        return min(find_daly_interval(self.write, 1 / self.rate), work)

    def expect_wall_time(self, work: float, interval: float) -> float:
        """Return the expected time of a run with an amount of work; infinite if it practically never ends.

        Daly's model, M·e^(R/M)·(e^((τ+C)/M) − 1)·(work/τ), holds for interruptions at any time, also in checkpoints and
        restarts, and where the interval is near M. A reclaim that loses no work stops the run for its last checkpoint
        and for the restart, which other interruptions begin again: C + (e^(rate·R) − 1)/rate.
        """
        between = 1 / self.losing
        largest = max(self.restart * self.rate, (interval + self.write) / between + self.restart / between)
        if largest > _LARGEST_EXPONENT:
            return inf
        segments = work / interval
        time = between * exp(self.restart / between) * expm1((interval + self.write) / between) * segments
        if not self.saves_at_notice:
            return time
        stop = self.write + expm1(self.rate * self.restart) / self.rate
        return time * (1 + self.reclaims * stop)
