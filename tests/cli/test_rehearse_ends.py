"""Rehearsals that end early, and a rehearsal that runs beside them, as a user starts them.

The first test is one story, because each start takes long: the first rehearsal is killed. Three others start at once,
which ends all that the first has left; two of them are interrupted, and the third has not noticed.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from threading import Thread

import psutil
import pytest
import yaml

from ..support.lab_objects import stateful_set
from ..support.plans import ROOT, shipped_config
from ..support.processes import is_running, wait_for

pytestmark = pytest.mark.lab

WAITING = "waiting for Karpenter"
PLAYING = "round 1 of"


@dataclass
class Rehearsal:
    """A running rehearsal of dev, and everything that it has printed."""

    process: subprocess.Popen[str]
    progress: str = ""

    def read(self) -> None:
        """Collect the lines that say how far the rehearsal is."""
        assert self.process.stderr
        for line in self.process.stderr:
            self.progress += line

    def list_engines(self) -> list[int]:
        """Return the process ids of the engines."""
        return [child.pid for child in psutil.Process(self.process.pid).children(recursive=True)]


@dataclass
class Bench:
    """Starts rehearsals with one folder for temporary files."""

    project: Path
    temporary: Path
    started: list[Rehearsal]

    def start(self, *arguments: str) -> Rehearsal:
        """Start a rehearsal of dev."""
        process = subprocess.Popen(
            [sys.executable, "-m", "gpu_blueprint", "rehearse", "dev", *arguments],
            cwd=self.project,
            env={**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(self.temporary)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        rehearsal = Rehearsal(process)
        self.started.append(rehearsal)
        Thread(target=rehearsal.read, daemon=True).start()
        return rehearsal

    def list_folders(self) -> set[str]:
        """Return the names of the workspaces."""
        return {folder.name for folder in self.temporary.iterdir()}


@pytest.fixture
def bench(project: Path) -> Iterator[Bench]:
    """No rehearsal yet; at the end, all of them are ended."""
    temporary = project / "temporary"
    temporary.mkdir()
    bench = Bench(project, temporary, [])
    yield bench
    for rehearsal in bench.started:
        rehearsal.process.terminate()
        rehearsal.process.communicate()


def wait_for_line(rehearsal: Rehearsal, line: str) -> list[int]:
    """Wait until a rehearsal is as far as a line says, and return its engines."""
    wait_for(lambda: line in rehearsal.progress or rehearsal.process.poll() is not None)
    assert rehearsal.process.poll() is None, rehearsal.progress
    return rehearsal.list_engines()


def test_rehearsals_end_without_a_trace_and_do_not_disturb_each_other(bench: Bench) -> None:
    namespace = shipped_config("dev").tenants[0].namespace_name
    (bench.project / "chart.yaml").write_text(yaml.safe_dump(stateful_set(namespace)))
    killed = bench.start()
    orphans = wait_for_line(killed, WAITING)
    (killed_folder,) = bench.list_folders()
    killed.process.kill()
    killed.process.wait()
    assert len(orphans) >= 6 and all(map(is_running, orphans))

    beside = bench.start("--probe", "chart.yaml")
    stopped = {(number, line): bench.start() for number, line in ((signal.SIGINT, WAITING), (signal.SIGTERM, PLAYING))}
    engines = wait_for_line(beside, WAITING)
    assert not any(map(is_running, orphans))
    assert killed_folder not in bench.list_folders()
    for (number, line), rehearsal in stopped.items():
        engines += (ended := wait_for_line(rehearsal, line))
        rehearsal.process.send_signal(number)
        assert rehearsal.process.wait() == 128 + number
        assert not any(map(is_running, ended))
        assert rehearsal.progress.splitlines()[-1].startswith(line)

    assert beside.process.stdout
    shown = beside.process.stdout.read()
    assert beside.process.wait() == 0, shown + beside.progress
    assert "cache-0" in shown and "cache-1" in shown
    assert not any(map(is_running, engines))
    assert bench.list_folders() == set()


def test_a_karpenter_that_dies_between_the_probes_ends_the_rehearsal_with_its_last_lines(bench: Bench) -> None:
    rehearsal = bench.start()
    engines = wait_for_line(rehearsal, PLAYING)
    (karpenter,) = [pid for pid in engines if psutil.Process(pid).name() == "karpenter"]
    os.kill(karpenter, signal.SIGKILL)
    assert rehearsal.process.stdout
    shown = rehearsal.process.stdout.read()
    assert rehearsal.process.wait() == 1
    assert "karpenter was killed by SIGKILL; its last lines:" in shown
    assert "Traceback" not in rehearsal.progress
    assert not any(map(is_running, engines))
    assert bench.list_folders() == set()
