"""Signals that end a rehearsal, so that it can clean up."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Protocol

_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Leaver(Protocol):
    """The work that a signal ends."""

    @property
    def is_leaving(self) -> bool:
        """True from the first signal on, and while the work cleans up."""

    def leave(self) -> None:
        """Begin to leave."""

    def kill(self) -> None:
        """Leave faster."""


@contextmanager
def leave_on_signals(work: Leaver) -> Iterator[None]:
    """Raise KeyboardInterrupt or SystemExit in the block at the first signal that asks the program to end.

    A signal during the cleanup does not interrupt it, but makes it faster, and is raised afterwards. A signal that the
    program ignores, as under nohup, stays ignored. Only the main thread may have handlers; in another thread the block
    runs without.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    late: list[int] = []

    def end(number: int, _frame: FrameType | None) -> None:
        if work.is_leaving:
            late.append(number)
            work.kill()
            return
        work.leave()
        raise _translate(number)

    before = {
        number: handler for number in _ENDING if (handler := signal.getsignal(number)) not in (None, signal.SIG_IGN)
    }
    for number in before:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    if late:
        raise _translate(late[0])


def _translate(number: int) -> BaseException:
    return KeyboardInterrupt() if number == signal.SIGINT else SystemExit(128 + number)
