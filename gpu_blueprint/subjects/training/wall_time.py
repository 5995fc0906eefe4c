"""The wall time of a run with random interruptions: work, checkpoints, lost work and restarts.

All times are hours, and all rates are interruptions per hour of the whole run.

Sources: J. W. Young, "A first order approximation to the optimum checkpoint interval", Communications of the ACM
17 (9), 1974; J. T. Daly, "A higher order estimate of the optimum checkpoint interval for restart dumps", Future
Generation Computer Systems 22 (3), 2006. The tests use Daly's examples.
"""

from math import exp, expm1, inf, sqrt

from ...records import Record

_LARGEST_EXPONENT = 700.0
"""e to a larger power overflows a float; such a run never ends."""


def find_young_interval(write: float, between: float) -> float:
    """Return Young's interval √(2·C·M) between checkpoints, from the time C of a checkpoint and the mean time M between
    interruptions."""
    return sqrt(2 * write * between)


def find_daly_interval(write: float, between: float) -> float:
    """Return Daly's interval, √(2·C·M)·(1 + ⅓·√(C/2M) + ⅑·C/2M) − C, or M if a checkpoint takes 2·M or more.

    The interval is the work from the end of a checkpoint to the start of the next (Daly 2006, equation 37).
    """
    if write >= 2 * between:
        return between
    part = write / (2 * between)
    return find_young_interval(write, between) * (1 + sqrt(part) / 3 + part / 9) - write


class Disturbances(Record, kw_only=True):
    """The interruptions of one run, each of which stops all of its pods, and their cost in time."""

    failures: float
    """Rate of hardware failures, which lose the work since the last checkpoint. Above 0."""
    reclaims: float = 0.0
    """Rate of spot reclaims, which have a notice."""
    write: float
    """Time of a checkpoint, without computing. Above 0."""
    restart: float
    """Time from an interruption to the first step after it."""
    saves_at_notice: bool = False
    """True if a reclaim loses no work, because a last checkpoint fits into the notice."""

    @property
    def rate(self) -> float:
        """Rate of all interruptions."""
        return self.failures + self.reclaims

    @property
    def losing(self) -> float:
        """Rate of the interruptions that lose work."""
        return self.failures if self.saves_at_notice else self.rate

    def find_loss(self, interval: float) -> float:
        """Return the expected hours that an interruption costs if it loses work: since the checkpoint, and the restart.

        An interrupted segment of length S (interval plus checkpoint) loses M − S/(e^(S/M) − 1), about S/2.
        """
        segment = (interval + self.write) * self.losing
        if segment > _LARGEST_EXPONENT:
            return 1 / self.losing + self.restart
        return 1 / self.losing - (interval + self.write) / expm1(segment) + self.restart

    def find_interval(self, work: float) -> float:
        """Return the optimal work between two checkpoints, at most the whole work of the run.

        Every interruption counts as a loss, since EC2 sends notices on a best-effort basis only.
        """
        return min(find_daly_interval(self.write, 1 / self.rate), work)

    def expect_wall_time(self, work: float, interval: float) -> float:
        """Return the expected wall time of a run; infinite if the run practically never ends.

        Daly's model, M·e^(R/M)·(e^((τ+C)/M) − 1)·(work/τ), includes interruptions during checkpoints and restarts, and
        intervals near M. A reclaim that loses no work costs its last checkpoint and a restart, which further
        interruptions may repeat: C + (e^(rate·R) − 1)/rate.
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
