"""Cleans up after killed rehearsals: a guard, or the next start, ends their processes and removes their folders.

The owner of a workspace locks a file in the workspace's folder. The kernel releases the lock when the owner ends, even
if it is killed. Every process of a workspace has the path of the folder in its environment.
"""

import fcntl
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil

from gpu_blueprint.errors import LabError

MARK = "GPU_BLUEPRINT_WORKSPACE"
"""Environment variable of every process of a workspace: the path of the folder."""
PREFIX = "gpu-blueprint-lab-"
_LOCK_FILE = "lock"
_SECONDS_TO_LOCK = 60
SECONDS_TO_END = 10
"""Seconds for a thread or a killed process of the lab to end."""
_EMPTY_LOOKS = 2
_GUARD_PROGRAM = """
import sys
sys.stdin.read()
folder, *sys.path[:] = sys.argv[1:]
from lab.orphans import sweep_after_owner
sweep_after_owner(folder)
"""
"""The program of the guard: it waits until its owner, who holds its input open, ends; then it sweeps."""


def find_temporary_folder() -> Path:
    """Return the folder for temporary files.

    Raises:
        LabError: No folder for temporary files can be written.
    """
    try:
        return Path(tempfile.gettempdir()).resolve()
    except OSError as error:
        raise LabError(f"{error.strerror}; free some space, or set TMPDIR") from None


@contextmanager
def hold_folder(folder: Path) -> Iterator[None]:
    """Make a folder and lock it during the block.

    Raises:
        LabError: The folder cannot be made or locked.
    """
    try:
        folder.mkdir(mode=0o700)
        lock = _lock_new_folder(folder)
    except OSError as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise LabError(
            f"{folder.parent}: cannot be written: {error.strerror}; free some space, or set TMPDIR"
        ) from None
    try:
        yield
    finally:
        os.close(lock)


@contextmanager
def guard_folder(folder: Path) -> Iterator[None]:
    """Start a guard, in its own session, which cleans up if this process is killed during the block.

    Raises:
        LabError: The guard cannot be started.
    """
    try:
        guard = subprocess.Popen(  # noqa: S603
            [sys.executable, "-S", "-c", _GUARD_PROGRAM, str(folder), *sys.path],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "TMPDIR": str(folder.parent)},
            start_new_session=True,
        )
    except OSError as error:
        raise LabError(f"{sys.executable}: cannot be started: {error.strerror}") from None
    try:
        yield
    finally:
        guard.kill()
        guard.communicate(timeout=SECONDS_TO_END)


def sweep_after_owner(folder: str) -> None:
    """Sweep until a folder is gone; its owner has closed the pipes, and releases the lock in a moment."""
    end = time.monotonic() + SECONDS_TO_END
    while Path(folder).exists() and time.monotonic() < end:
        sweep_dead_workspaces()
        time.sleep(0.05)


def sweep_dead_workspaces() -> list[Path]:
    """End the processes and remove the folders of killed rehearsals; return the folders."""
    swept = []
    for folder in sorted(find_temporary_folder().glob(f"{PREFIX}*")):
        with _take_over(folder) as is_dead:
            if is_dead:
                end_marked_processes(folder)
                shutil.rmtree(folder, ignore_errors=True)
                swept.append(folder)
    return swept


def end_marked_processes(folder: Path) -> None:
    """Kill every process of a folder, with its children, until two looks in a row find none.

    One look could miss a process: during exec it has no environment.
    """
    end, empty_looks = time.monotonic() + SECONDS_TO_END, 0
    while empty_looks < _EMPTY_LOOKS and time.monotonic() < end:
        found = [process for process in psutil.process_iter() if _read_mark(process) == str(folder)]
        empty_looks = 0 if found else empty_looks + 1
        children = [child for parent in found for child in _list_children(parent)]
        for process in (*found, *children):
            with suppress(psutil.Error):  # it has ended meanwhile
                process.kill()
        time.sleep(0.05)


def _lock_new_folder(folder: Path) -> int:
    """Return the descriptor of the lock file. The file gets its name once it is locked, so a sweep sees no unlocked
    file."""
    unnamed = folder / f"{_LOCK_FILE}.new"
    lock = os.open(unnamed, os.O_CREAT | os.O_EXCL | os.O_RDWR, mode=0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        unnamed.rename(folder / _LOCK_FILE)
    except OSError:
        os.close(lock)
        raise
    return lock


@contextmanager
def _take_over(folder: Path) -> Iterator[bool]:
    """Give True if a folder of this user has no living owner; the folder stays locked during the block."""
    try:
        found = folder.stat()
        lock = os.open(folder / _LOCK_FILE, os.O_RDWR) if found.st_uid == os.getuid() else None
    except FileNotFoundError:
        yield _is_old(folder)
        return
    except OSError:
        lock = None
    if lock is None:
        yield False
        return
    try:
        yield _try_to_lock(lock)
    finally:
        os.close(lock)


def _try_to_lock(lock: int) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _is_old(folder: Path) -> bool:
    """Return whether a folder without lock is over a minute old, so that no owner is about to lock it."""
    try:
        return time.time() - folder.stat().st_mtime > _SECONDS_TO_LOCK
    except OSError:
        return False


def _read_mark(process: psutil.Process) -> str:
    try:
        return str(process.environ().get(MARK, ""))
    except (psutil.Error, OSError):  # it has just ended, or belongs to another user
        return ""


def _list_children(process: psutil.Process) -> list[psutil.Process]:
    try:
        return list(process.children(recursive=True))
    except psutil.Error:  # it has just ended
        return []
