"""One temporary folder with the engines that run in it, all gone at the end.

A killed rehearsal cannot clean up. Each process therefore carries a mark in its environment that names the folder and
the owner, and the next start ends every process and removes every folder whose owner is dead.
"""

import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

import psutil

from gpu_blueprint.errors import LabError

MARK = "GPU_BLUEPRINT_WORKSPACE"
"""Environment variable of every engine: the folder that it works in."""
PREFIX = "gpu-blueprint-lab-"
_OWNER = "owner.json"
_LAST_LINES = 6
_SECONDS_TO_END = 10


@dataclass(slots=True)
class Workspace:
    """A folder, and the processes that were started in it."""

    folder: Path
    _processes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)
    _ports: set[int] = field(default_factory=set)

    def find_port(self) -> int:
        """Return a loopback port that nobody listens on, and that this workspace has not given out."""
        while True:
            with socket.socket() as probe:
                probe.bind(("127.0.0.1", 0))
                port: int = probe.getsockname()[1]
            if port not in self._ports:
                self._ports.add(port)
                return port

    def start(self, name: str, command: Sequence[str | Path], environment: Mapping[str, str] | None = None) -> None:
        """Start an engine in a session of its own, so that Ctrl-C reaches this program alone; log to ``NAME.log``."""
        with self.find_log(name).open("ab") as log:
            self._processes[name] = subprocess.Popen(  # noqa: S603  the command is our own engine
                [str(part) for part in command],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self.folder,
                env={**_list_harmless_variables(), **(environment or {}), MARK: str(self.folder)},
                start_new_session=True,
            )

    def stop(self, name: str) -> None:
        """End an engine and wait for its end; an engine that does not run is no error."""
        if process := self._processes.pop(name, None):
            process.terminate()
            try:
                process.wait(_SECONDS_TO_END)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def runs(self, name: str) -> bool:
        """Return whether an engine was started and has not ended."""
        process = self._processes.get(name)
        return process is not None and process.poll() is None

    def find_log(self, name: str) -> Path:
        """Return the log file of an engine."""
        return self.folder / f"{name}.log"

    def refuse_dead_engines(self) -> None:
        """Raise a LabError with its last lines if an engine has ended by itself."""
        for name, process in self._processes.items():
            if process.poll() is not None:
                raise LabError(f"{name} ended with code {process.returncode}; its last lines:\n{self.read_end(name)}")

    def read_end(self, name: str) -> str:
        """Return the last lines of an engine's log, indented."""
        lines = self.find_log(name).read_text(errors="replace").splitlines()[-_LAST_LINES:]
        return "\n".join(f"  {line[:300]}" for line in lines)

    def measure_memory(self) -> int:
        """Return the resident memory of all engines in bytes."""
        sizes = (_read_memory(process.pid) for process in self._processes.values() if process.poll() is None)
        return sum(sizes)

    def close(self) -> None:
        """Kill every engine at once, since nothing of them is kept, and remove the folder."""
        for process in self._processes.values():
            process.kill()
        for process in self._processes.values():
            process.wait()
        self._processes.clear()
        shutil.rmtree(self.folder, ignore_errors=True)


@contextmanager
def open_workspace() -> Iterator[Workspace]:
    """Give a fresh workspace and end all of it, also after Ctrl-C, SIGTERM or SIGHUP.

    Raises:
        LabError: The temporary folder cannot be written.
    """
    sweep_dead_workspaces()
    try:
        folder = Path(tempfile.mkdtemp(prefix=PREFIX)).resolve()
        (folder / _OWNER).write_text(json.dumps(_identify(psutil.Process())), encoding="utf-8")
    except OSError as error:
        raise LabError(f"{tempfile.gettempdir()}: cannot be written: {error.strerror}; set TMPDIR") from None
    workspace = Workspace(folder)
    with _signals_as_exceptions():
        try:
            yield workspace
        finally:
            workspace.close()


def sweep_dead_workspaces() -> list[Path]:
    """End the processes and remove the folders of rehearsals that were killed; return the folders."""
    dead = [folder for folder in Path(tempfile.gettempdir()).resolve().glob(f"{PREFIX}*") if not _has_owner(folder)]
    if dead:
        marks = {str(folder) for folder in dead}
        for process in psutil.process_iter():
            if _read_mark(process) in marks:
                _kill(process)
        for folder in dead:
            shutil.rmtree(folder, ignore_errors=True)
    return dead


def _list_harmless_variables() -> dict[str, str]:
    """Return the environment without the variables that would lead an engine to a real account or cluster."""
    led = ("AWS_", "KUBE", "PULUMI_", "HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy")
    return {name: value for name, value in os.environ.items() if not name.startswith(led)}


def _identify(process: psutil.Process) -> dict[str, float]:
    return {"pid": process.pid, "started": process.create_time()}


def _has_owner(folder: Path) -> bool:
    """Return whether the owner of a workspace still runs. Process ids come back, start times do not."""
    try:
        owner = json.loads((folder / _OWNER).read_text(encoding="utf-8"))
        return bool(_identify(psutil.Process(int(owner["pid"]))) == owner)
    except psutil.AccessDenied:
        return True
    except FileNotFoundError:
        return _is_young(folder)
    except (OSError, ValueError, KeyError, psutil.NoSuchProcess):
        return False


def _is_young(folder: Path) -> bool:
    """Return whether a folder was made within this minute, so that its owner may be about to sign it."""
    try:
        return time.time() - folder.stat().st_mtime < 60
    except OSError:
        return False


def _read_mark(process: psutil.Process) -> str | None:
    try:
        mark = process.environ().get(MARK)
        return str(mark) if mark else None
    except (psutil.Error, OSError):
        return None


def _kill(process: psutil.Process) -> None:
    try:
        process.kill()
        process.wait(_SECONDS_TO_END)
    except psutil.Error:
        pass


def _read_memory(pid: int) -> int:
    try:
        return int(psutil.Process(pid).memory_info().rss)
    except psutil.Error:
        return 0


@contextmanager
def _signals_as_exceptions() -> Iterator[None]:
    """Turn SIGTERM and SIGHUP into SystemExit, so that ``finally`` runs; only the main thread may set handlers."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def leave(number: int, _frame: FrameType | None) -> None:
        raise SystemExit(128 + number)

    before = {number: signal.signal(number, leave) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
