"""Tests whose caller ignores signals."""

from pathlib import Path

import pytest

from .pytest_runs import ALONE, WORKERS, run_pytest

INTERRUPTING = """
import os, signal, subprocess, time
import pytest

def test_an_interrupt_reaches_the_test_itself():
    with pytest.raises(KeyboardInterrupt): signal.raise_signal(signal.SIGINT)

@pytest.mark.timeout(5)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_child_ends(number):
    child = subprocess.Popen(["sleep", "1000"])
    child.send_signal(number)
    assert child.wait() == -number

"""
CALLERS = {
    "a script with a job in the background": ("sh", "-c", "trap '' INT; exec \"$@\"", "sh"),
    "nohup": ("nohup",),
    "setsid": ("setsid", "--wait"),
    "all": ("sh", "-c", "trap '' INT HUP TERM; exec \"$@\"", "sh"),
}


@pytest.mark.parametrize("caller", CALLERS)
def test_children_can_be_interrupted_whatever_the_caller_ignores(tmp_path: Path, caller: str) -> None:
    (tmp_path / "test_interrupting.py").write_text(INTERRUPTING)
    code, said = run_pytest(tmp_path, WORKERS, CALLERS[caller])
    assert code == 0 and "4 passed" in said, said


def test_a_run_without_workers_can_be_interrupted_too(tmp_path: Path) -> None:
    (tmp_path / "test_interrupting.py").write_text(INTERRUPTING)
    code, said = run_pytest(tmp_path, ALONE, CALLERS["all"])
    assert code == 0 and "4 passed" in said, said


def test_a_signal_that_the_caller_ignores_does_not_reach_a_worker(tmp_path: Path) -> None:
    (tmp_path / "test_hangup.py").write_text(
        "import os, signal\ndef test_hangup(): os.killpg(os.getppid(), signal.SIGHUP)"
    )
    code, said = run_pytest(tmp_path, WORKERS, ("setsid", "--wait", "nohup"))
    assert code == 0 and "1 passed" in said, said
