"""Signals that end a rehearsal, so that it can clean up."""

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Protocol

_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_LOOK_EVERY_S = 1.0
_PARENT = os.getppid()


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


@contextmanager
def hang_up_with_parent() -> Iterator[None]:
    """Send SIGHUP to this program in the block once the program that has started it has ended.

    A job that a script leaves in the background gets no signal when the script ends or is killed. A program that
    ignores SIGHUP, as under nohup, runs on. In another thread than the main one the block runs without.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    over = threading.Event()

    def watch() -> None:
        while not over.wait(_LOOK_EVERY_S):
            if _is_orphan():
                os.kill(os.getpid(), signal.SIGHUP)
                return

    threading.Thread(target=watch, name="hang-up", daemon=True).start()
    try:
        yield
    finally:
        over.set()


def _is_orphan() -> bool:
    """Return whether the parent has ended, also if it did before this module was loaded.

    A process that leads no session has its parent's; a parent of another session is only a foster parent.
    """
    parent = os.getppid()
    if parent != _PARENT:
        return True
    own = os.getsid(0)
    try:
        return own != os.getpid() and os.getsid(parent) != own
    except OSError:  # the parent has just ended, or the system does not tell
        return False


def _translate(number: int) -> BaseException:
    return KeyboardInterrupt() if number == signal.SIGINT else SystemExit(128 + number)
