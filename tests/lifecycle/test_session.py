"""A lifecycle that is killed leaves nothing behind at the next start."""

import os
import signal
import sys
from pathlib import Path

import psutil
import pytest

from lab.built import FOLDER_VARIABLE, find_built_folder
from lab.orphans import MARK, sweep_dead_workspaces

from ..support.plans import ROOT, STACKS
from ..support.processes import read_line, running
from ..support.workspaces import kill_owner

pytestmark = pytest.mark.lab


def list_marked(folder: Path) -> list[psutil.Process]:
    """Return the processes that work in the folder of a workspace."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.environ().get(MARK) == str(folder):
                found.append(process)
        except psutil.Error:
            continue
    return found


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_a_lifecycle_in_the_middle_of_a_create(tmp_path: Path, number: signal.Signals) -> None:
    command = [sys.executable, "-m", "tests.support.held_life"]
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    with running(command, environment=environment) as process:
        assert read_line(process) == "held"
        (folder,) = tmp_path.glob("gpu-blueprint-lab-*")
        process.send_signal(number)
        process.communicate(timeout=60)  # the create would take twice as long
    assert process.returncode != 0 and list_marked(folder) == [] and not folder.exists()


def test_a_killed_lifecycle_leaves_no_process_and_no_folder_at_the_next_start(tmp_path: Path) -> None:
    (tmp_path / "stacks").symlink_to(STACKS)
    command = [sys.executable, "-m", "gpu_blueprint", "lifecycle", "dev"]
    engines = {FOLDER_VARIABLE: str(find_built_folder())}
    environment = {"PYTHONPATH": str(ROOT), "TMPDIR": str(tmp_path), "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
    with running(["sh", "-c", 'exec "$@" 2>&1', "sh", *command], tmp_path, environment | engines) as process:
        lines: list[str] = []
        while "dev: up …" not in (line := read_line(process)):
            assert line, lines
            lines.append(line)
        (folder,) = tmp_path.glob("gpu-blueprint-lab-*")
        kill_owner(process.pid)
    names = {process.name() for process in list_marked(folder)}
    assert {"etcd", "kube-apiserver", "kwok"} <= names
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tempfile.tempdir", str(tmp_path))
        assert sweep_dead_workspaces() == [folder]
    assert list_marked(folder) == [] and not folder.exists()
