"""Queues: the order in which jobs start."""

from collections.abc import Iterator
from typing import Literal

from ..model import Model
from ..problem import Problem
from .scalars import Duration, count_seconds

QUEUED_PURPOSES = ("training", "batch")
"""Purposes of pools whose work comes as jobs. Notebooks and services make pods of their own, which no queue may
hold."""
_LEAST_SECONDS, _MOST_SECONDS = 60, 24 * 3600


class Queueing(Model):
    """Queues in front of the pools for training and batch: a job starts when all its GPUs are free for its team."""

    order: Literal["best-effort", "strict"] = "best-effort"
    """`best-effort` lets a small job pass a large job that waits; `strict` lets nobody of the team pass, so that large
    jobs start for certain. Then all jobs of the team wait behind it, also jobs without GPU and jobs for pools without
    a queue."""
    fair: bool = True
    """Divide idle GPUs among the teams that want them by the weights of their queues; where another team may borrow, a
    job of a higher class then stops no running job of its own team. Without it the first come take idle GPUs, and a
    higher class stops lower classes of its team."""
    ready_timeout: Duration = "30m"
    """Time in which all pods of a started job must be ready, from 1m to 24h: launch of the nodes, MIG, images. A job
    that is late gives its GPUs back and tries again later, and an alert says so. Until then it holds them, so a job
    whose nodes never come keeps others waiting for this time."""

    def problems(self) -> Iterator[Problem]:
        if not _LEAST_SECONDS <= count_seconds(self.ready_timeout) <= _MOST_SECONDS:
            is_short = count_seconds(self.ready_timeout) < _LEAST_SECONDS
            effect = "no node starts in this time" if is_short else "a job without nodes would hold GPUs for this time"
            reason = f"{self.ready_timeout} is no time to wait for pods: {effect}"
            yield Problem("ready-timeout-out-of-range", ("readyTimeout",), reason, "write 10m to 24h, such as 30m")
