"""Processes that tests start and look for."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import psutil

from gpu_blueprint.live.bounds import call_within

from .plans import ROOT

T = TypeVar("T")
PATIENCE_S = 240
"""Seconds for anything that ends by itself: less than the limit of a test."""


def wait_for(look: Callable[[], T]) -> T:
    """Look until there is something to see; fail if there never is."""
    end = time.monotonic() + PATIENCE_S
    while not (found := look()):
        assert time.monotonic() < end, f"nothing after {PATIENCE_S} s"
        time.sleep(0.05)
    return found


@contextmanager
def running(
    command: Sequence[str | Path],
    folder: Path = ROOT,
    environment: Mapping[str, str] | None = None,
    stdin: int | None = None,
) -> Iterator[subprocess.Popen[str]]:
    """Run a program beside the block, with pipes for what it says, and kill it at the end."""
    process = subprocess.Popen(
        command, cwd=folder, env=environment, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate(timeout=PATIENCE_S)


def read_line(process: subprocess.Popen[str]) -> str:
    """Return the next line of a program's output, without its end; fail if there is none in time."""
    assert process.stdout
    return call_within(PATIENCE_S, process.stdout.readline).rstrip("\n")


def is_running(pid: int) -> bool:
    """Tell whether a process runs; a dead process whose parent has not noticed does not."""
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def start_python(program: str, folder: Path, *arguments: str) -> subprocess.Popen[str]:
    """Start a Python program from the project's folder, with a folder of its own for temporary files."""
    return subprocess.Popen(
        [sys.executable, "-c", program, *arguments],
        cwd=ROOT,
        env={**os.environ, "TMPDIR": str(folder)},
        stdout=subprocess.PIPE,
        text=True,
    )
