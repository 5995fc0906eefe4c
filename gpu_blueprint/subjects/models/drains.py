"""The end of a replica: it leaves the Service, answers what it has taken, and ends before its node goes."""

from ...config import Pool
from ...config.disruption import SPOT_LEAVES_S
from ...config.models import ServedModel
from ...config.scalars import count_seconds
from ...records import Record

LEAVE_S = 15
"""Seconds before the server hears of its end, in which every proxy learns that the pod is gone."""
STOP_S = 5
"""Seconds between the last answer and the end of the process."""
SPOT_S = SPOT_LEAVES_S
"""Seconds that a spot node leaves."""
LONGEST_S = 300
"""Longest time by default: a rollout ends its replicas one after the other."""


class Drain(Record):
    """The seconds of an end."""

    answer: int
    """Seconds in which the server finishes its requests."""

    @property
    def grace(self) -> int:
        """``terminationGracePeriodSeconds`` of the pod."""
        return LEAVE_S + self.answer + STOP_S


def plan_drain(pool: Pool, model: ServedModel) -> Drain:
    """Return the end of a model's replicas in a pool."""
    if model.drain:
        return Drain(count_seconds(model.drain))
    return Drain(max(0, min(find_most_grace(pool), LONGEST_S) - LEAVE_S - STOP_S))


def find_most_grace(pool: Pool) -> int:
    """Return the seconds that the nodes of a pool surely leave to a pod."""
    own = count_seconds(pool.lifecycle.termination_grace_period or "1h")
    return min(own, SPOT_S) if "spot" in pool.purchase else own
