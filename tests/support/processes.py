"""Processes that tests start and look for."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import psutil

from .plans import ROOT

T = TypeVar("T")
PATIENCE_S = 120


def wait_for(look: Callable[[], T]) -> T:
    """Look until there is something to see; fail if there never is."""
    end = time.monotonic() + PATIENCE_S
    while not (found := look()):
        assert time.monotonic() < end, f"nothing after {PATIENCE_S} s"
        time.sleep(0.05)
    return found


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
