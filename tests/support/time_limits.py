"""A plugin of pytest: a test that hangs fails alone, and the run goes on.

pytest-timeout reads the limits; its own ways to end a test do not fit. Its signal comes once, so that a `finally` that
waits again hangs for ever, and none comes once a test has failed; its thread ends the worker, and with it the run.
"""

import faulthandler
import gc
import math
import signal
import sys
import threading
import time
import traceback
from collections.abc import Generator
from types import FrameType
from typing import Any

import psutil
import pytest
from _pytest.faulthandler import fault_handler_stderr_fd_key
from pytest_timeout import Settings, is_debugging

GRACE_S = 60.0
"""Seconds for the end of a test that has reached its limit, if the limit is longer; then it is interrupted again."""
MOST_INTERRUPTIONS = 5
"""A test that waits on after so many is ended with its process."""
_TICK_S = 0.01
"""The system rounds the start of a process down to a tick."""


class TimeLimit:
    """The limit of one test, with its fixtures."""

    def __init__(self, seconds: float) -> None:
        self.seconds, self.grace = seconds, min(GRACE_S, seconds)
        self.interruptions = 0
        self.called_at = math.inf
        self.runs_code = False
        self.is_reported = False
        self.sections: list[tuple[str, str]] = []

    def begin(self, stderr: int) -> None:
        """Interrupt the test at its limit, and again after each grace.

        Args:
            stderr: Gets the stacks if the process has to be ended, since code in C runs no handler of a signal.
        """
        self._stderr = stderr
        signal.signal(signal.SIGALRM, self._interrupt)
        signal.setitimer(signal.ITIMER_REAL, self.seconds, self.grace)
        self.bound_code_in_c()

    def bound_code_in_c(self) -> None:
        """End the process, with its stacks, if its code runs no handler of a signal: a grace after the next one."""
        to_next, _ = signal.getitimer(signal.ITIMER_REAL)
        if to_next and self.interruptions < MOST_INTERRUPTIONS:
            faulthandler.dump_traceback_later(to_next + self.grace, exit=True, file=self._stderr)

    def end(self) -> None:
        """Let the test be, and kill what it has left if it reached its limit."""
        signal.setitimer(signal.ITIMER_REAL, 0)
        faulthandler.cancel_dump_traceback_later()
        if self.interruptions:
            self._kill_children()

    def complete(self, report: pytest.TestReport) -> None:
        """Make sure that a test that reached its limit has failed, and add what it did at that time."""
        if not self.interruptions or self.is_reported:
            return
        self.is_reported = True
        report.sections += self.sections
        if report.outcome != "failed":
            report.outcome, report.longrepr = "failed", f"{self._reason}, and went on"

    @property
    def _reason(self) -> str:
        return f"the test reached its limit of {self.seconds:g} s"

    def _interrupt(self, _number: int, frame: FrameType | None) -> None:
        __tracebackhide__ = True
        self.interruptions += self.runs_code
        self.bound_code_in_c()
        if not self.runs_code or is_debugging():
            return  # pytest's own code is no test
        if self.interruptions == 1:
            self.sections = [("stacks of all threads", _describe_stacks(frame)), ("children", _describe_children())]
        else:
            self._kill_children()
        pytest.fail(self._reason)

    def _kill_children(self) -> None:
        """Kill the processes that the test itself has started; those of fixtures may serve other tests."""
        for child in psutil.Process().children(recursive=True):
            try:
                if child.create_time() - psutil.boot_time() >= self.called_at - _TICK_S:
                    child.kill()
            except psutil.Error:  # it has ended meanwhile
                continue


_LIMIT = pytest.StashKey[TimeLimit]()
_LAST_SECONDS = "last_seconds"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the setting for the end of the process."""
    parser.addini(_LAST_SECONDS, "seconds for the end of the process after its tests", default=str(GRACE_S))


@pytest.hookimpl(tryfirst=True)
def pytest_timeout_set_timer(item: pytest.Item, settings: Settings) -> bool:
    """Begin the limit of a test in the place of pytest-timeout."""
    if threading.current_thread() is threading.main_thread() and not is_debugging():
        item.stash[_LIMIT] = TimeLimit(settings.timeout)
        item.stash[_LIMIT].begin(item.config.stash[fault_handler_stderr_fd_key])
    return True


@pytest.hookimpl(tryfirst=True)
def pytest_timeout_cancel_timer(item: pytest.Item) -> bool:
    """Keep the limit of a test that has failed, for its fixtures may hang, unless a person looks into it."""
    if item.config.getoption("usepdb") and _LIMIT in item.stash:
        item.stash[_LIMIT].end()
    return True


@pytest.hookimpl(trylast=True)
def pytest_exception_interact(node: pytest.Item | pytest.Collector) -> None:
    """Bound code in C again, in the fixtures of a test that has failed: pytest has just taken its own bound away."""
    if _LIMIT in node.stash and not node.config.getoption("usepdb"):
        node.stash[_LIMIT].bound_code_in_c()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, Any, Any]:
    """End the limit of a test after its fixtures."""
    try:
        return (yield)
    finally:
        if _LIMIT in item.stash:
            item.stash[_LIMIT].end()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, Any, Any]:
    """Mark the time in which the code of a test or of its fixtures runs."""
    limit = item.stash.get(_LIMIT, None)
    if limit is None:
        return (yield)
    limit.runs_code = True
    try:
        return (yield)
    finally:
        limit.runs_code = False
        limit.called_at = min(limit.called_at, _read_clock())  # the first of the three ends, and the test itself begins


pytest_runtest_call = pytest_runtest_teardown = pytest_runtest_setup


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Complete the report of a test that reached its limit."""
    report = yield
    if _LIMIT in item.stash:
        item.stash[_LIMIT].complete(report)
    return report


@pytest.hookimpl(tryfirst=True)
def pytest_unconfigure(config: pytest.Config) -> None:
    """Bound Python's own end, which waits for every thread that a test has left, and need not look for garbage."""
    gc.freeze()
    faulthandler.dump_traceback_later(float(config.getini(_LAST_SECONDS)), exit=True, file=2)


def _read_clock() -> float:
    """Return the seconds since the machine started, which no change of its clock moves."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) if sys.platform == "linux" else time.time() - psutil.boot_time()


def _describe_stacks(interrupted: FrameType | None) -> str:
    names = {thread.ident: thread.name for thread in threading.enumerate()}
    frames = {**sys._current_frames(), threading.get_ident(): interrupted}
    return "\n".join(
        f"{names.get(ident, 'a thread of no name')}:\n{''.join(traceback.format_stack(frame))}"
        for ident, frame in frames.items()
    )


def _describe_children() -> str:
    found = psutil.Process().children(recursive=True)
    return "\n".join(f"{child.pid} {_read_command(child)}" for child in found) or "none"


def _read_command(process: psutil.Process) -> str:
    try:
        return f"{process.status()}: {' '.join(process.cmdline()) or process.name()}"
    except psutil.Error:
        return "(it has ended)"
