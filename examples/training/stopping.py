"""The stop of a run: the vote, the last checkpoint and the exit code. Nothing here imports torch."""

import math
import signal
import time
from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum

FINISHED = 0
CRASHED = 1
DO_NOT_RETRY = 42
"""A restart would fail in the same way: a bad option, a loss of NaN, a checkpoint of another model."""
STOPPED = 75
"""The run stopped on request, and the next attempt resumes from its checkpoint (EX_TEMPFAIL of sysexits.h)."""


class HopelessError(Exception):
    """A fault that a restart cannot fix; the run exits with DO_NOT_RETRY."""


class Order(IntEnum):
    """The work after a step; the largest order of all ranks wins."""

    CONTINUE = 0
    SAVE = 1
    STOP = 2


@dataclass(frozen=True)
class Vote:
    """The vote of one rank after a step; the vote of all ranks has the maximum of each number.

    Args:
        order: The work that this rank wants.
        waited: Seconds since this rank got SIGTERM; 0 if it got none.
        saving: Seconds until this rank expects its last checkpoint to be complete, including a checkpoint that is still
            being written.
    """

    order: Order
    waited: float = 0.0
    saving: float = 0.0

    def to_numbers(self) -> list[float]:
        return [float(self.order), self.waited, self.saving]

    @classmethod
    def from_numbers(cls, numbers: Iterable[float]) -> "Vote":
        order, waited, saving = numbers
        return cls(Order(int(order)), waited, saving)

    def has_time(self, grace: float) -> bool:
        """Tell whether the last checkpoint can be complete before SIGKILL comes, `grace` seconds after SIGTERM."""
        return self.waited + self.saving <= grace


class StopRequest:
    """A flag for SIGTERM that the training loop reads between two steps."""

    def __init__(self) -> None:
        self._since: float | None = None

    def install(self) -> None:
        """Handle SIGTERM from now on; only the main thread may call this."""
        signal.signal(signal.SIGTERM, self.note)

    def note(self, *_: object) -> None:
        """Note the first request; torchrun repeats SIGTERM while ranks are saving."""
        if self._since is None:
            self._since = time.monotonic()

    @property
    def waited(self) -> float:
        return 0.0 if self._since is None else time.monotonic() - self._since

    def __bool__(self) -> bool:
        return self._since is not None


def propose(stop: StopRequest, is_due: bool, is_saving: bool, save_seconds: float) -> Vote:
    """Return this rank's vote.

    Args:
        stop: The request to stop.
        is_due: True if the interval says that a checkpoint is due.
        is_saving: True if a checkpoint is still being written; the next must wait for it.
        save_seconds: Seconds that the last checkpoint took; 0 before the first.
    """
    expected = save_seconds * (2 if is_saving else 1)
    if stop:
        return Vote(Order.STOP, stop.waited, expected)
    return Vote(Order.SAVE if is_due and not is_saving else Order.CONTINUE, 0.0, expected)


def refuse_bad_numbers(step: int, loss: float, gradient: float) -> None:
    """Refuse a step with an infinite or NaN loss or gradient, before a checkpoint saves its weights.

    Raises:
        HopelessError: The weights are lost, and the same batch would fail again.
    """
    for name, value in (("loss", loss), ("gradient", gradient)):
        if not math.isfinite(value):
            raise HopelessError(
                f"the {name} of step {step} is {value}; look at the learning rate, the data and the precision"
            )


def choose_exit_code(codes: Iterable[int], stop_requested: bool) -> int:
    """Return the exit code of a node from the codes of its ranks, which are negative after a signal.

    A rank that dies of the forwarded SIGTERM had not started to train, so its death is a stop and no crash.
    """
    failed = [code for code in codes if code]
    if DO_NOT_RETRY in failed:
        return DO_NOT_RETRY
    stops = {STOPPED, -signal.SIGTERM} if stop_requested else {STOPPED}
    crashes = [code for code in failed if code not in stops]
    # A rank that loses its peer exits with 1; the exit code of the peer is more specific.
    crashes.sort(key=lambda code: code == CRASHED)
    if crashes:
        return crashes[0] if crashes[0] > 0 else 128 - crashes[0]
    return STOPPED if failed or stop_requested else FINISHED
