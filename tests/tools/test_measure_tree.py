"""The memory of a command counts every process that the command starts."""

import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tools.measure_tree import Measurement, Tree, main, measure

from ..support.processes import PATIENCE_S, read_line, running

MIB = 1024**2
CHILD = "held = bytearray(48 * 1024**2); print('ready', flush=True); import signal; signal.pause()"
"""Hold 48 MiB until somebody kills the process."""
PARENT = f"""
import subprocess, sys
child = subprocess.Popen([sys.executable, "-c", {CHILD!r}], stdout=subprocess.PIPE)
child.stdout.readline()
print(child.pid, flush=True)
"""
WAIT_FOR_FILE = """
import pathlib, time
while not pathlib.Path(sys.argv[1]).exists():
    time.sleep(0.01)
child.kill()
child.wait()
sys.exit(7)
"""


@pytest.fixture
def family() -> Iterator[tuple[psutil.Process, psutil.Process]]:
    """A process that waits for its input to end, and its child that holds memory."""
    command = [sys.executable, "-c", f"{PARENT}\nsys.stdin.read()"]
    with running(command, stdin=subprocess.PIPE) as started:
        child = psutil.Process(int(read_line(started)))
        yield psutil.Process(started.pid), child
        child.kill()


def test_a_child_counts_with_its_parent(family: tuple[psutil.Process, psutil.Process]) -> None:
    parent, child = family
    tree = Tree(parent)
    assert tree.list_processes() == {parent, child}
    assert tree.measure().total() > parent.memory_info().rss + 48 * MIB


def test_a_child_counts_after_its_parent_has_ended(family: tuple[psutil.Process, psutil.Process]) -> None:
    parent, child = family
    tree = Tree(parent)
    tree.list_processes()
    parent.kill()
    psutil.wait_procs([parent], PATIENCE_S)
    assert tree.list_processes() == {child}


def test_the_peak_of_a_command_counts_its_children(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    look, seen = Tree.measure, tmp_path / "seen"

    def look_and_tell(tree: Tree) -> Counter[str]:
        sizes = look(tree)
        if sizes.total() > 48 * MIB:
            seen.touch()
        return sizes

    monkeypatch.setattr(Tree, "measure", look_and_tell)
    measured = measure([sys.executable, "-c", PARENT + WAIT_FOR_FILE, str(seen)], subprocess.DEVNULL)
    assert measured.mebibytes > 48 and measured.exit_code == 7 and measured.seconds > 0
    assert sum(measured.programs.values()) == pytest.approx(measured.mebibytes)


def test_the_program_passes_output_and_exit_code_on(capfd: pytest.CaptureFixture[str]) -> None:
    assert main([sys.executable, "-c", "print('done'); raise SystemExit(3)"]) == 3
    captured = capfd.readouterr()
    assert captured.out == "done\n" and "MiB at the peak" in captured.err


def test_a_measurement_names_the_largest_programs_first() -> None:
    programs = {"karpenter": 1234.0, "etcd": 56.0}
    text = str(Measurement(seconds=61.23, mebibytes=1290, programs=programs, exit_code=0))
    assert text == "61.2 s, 1,290 MiB at the peak (karpenter 1,234, etcd 56)"
