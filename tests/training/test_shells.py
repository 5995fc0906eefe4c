"""The shell around the program of a run, in a real shell."""

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from gpu_blueprint.training.run import PLAIN
from gpu_blueprint.training.shells import build_shell

from ..support.processes import PATIENCE_S

ALONE, TOGETHER = {"PET_NNODES": "1"}, {"PET_NNODES": "2"}
QUICK = 'sleep() { echo "waits $1" > "$FOLDER/waits"; command sleep 0.2; }\n'
"""A function in place of ``sleep``, which does not take so long."""


@contextmanager
def start(folder: Path, script: str, words: str, **variables: str) -> Iterator["subprocess.Popen[str]"]:
    """Start a run whose program is a script of a shell; whatever is left of it ends afterwards."""
    environment = {"PATH": os.environ["PATH"], "FOLDER": str(folder), **variables}
    command = build_shell(script, "sh", "-c", words)
    shell = subprocess.Popen(command, text=True, start_new_session=True, env=environment)
    try:
        yield shell
    finally:
        if shell.poll() is None:
            os.killpg(shell.pid, signal.SIGKILL)
            shell.wait(PATIENCE_S)


def end(folder: Path, words: str, **variables: str) -> tuple[int, bool]:
    """Return the code of a run that nobody stops, and whether it waited for its peers."""
    with start(folder, QUICK + PLAIN, words, **variables) as shell:
        return shell.wait(timeout=60), (folder / "waits").exists()


def stop(folder: Path, script: str, words: str, ready: str, **variables: str) -> int:
    """Return the code of a run that gets SIGTERM as soon as a file is there."""
    with start(folder, script, words, **variables) as shell:
        while not (folder / ready).exists():
            assert shell.poll() is None
            time.sleep(0.01)
        shell.send_signal(signal.SIGTERM)
        return shell.wait(timeout=60)


def test_the_program_gets_its_words_and_the_script_its_code() -> None:
    command = build_shell('run "$@"; echo "after $code"; finish', "sh", "-c", 'echo "$1"; exit 42', "sh", "two words")
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S)
    assert (done.returncode, done.stdout) == (42, "two words\nafter 42\n")


@pytest.mark.parametrize("variables", [ALONE, TOGETHER], ids=["one node", "two nodes"])
@pytest.mark.parametrize("ends_with", [0, 1, 42, 75, 127, 143])
def test_a_program_that_nobody_stops_ends_with_its_own_code(
    tmp_path: Path, ends_with: int, variables: dict[str, str]
) -> None:
    code, waited = end(tmp_path, f"exit {ends_with}", **variables)
    assert code == ends_with
    assert waited == (variables is TOGETHER and ends_with not in (0, 42, 75))


@pytest.mark.parametrize(("ends_with", "code"), [(75, 75), (1, 75), (0, 75), (127, 75), (42, 42)])
def test_a_pod_that_is_told_to_stop_says_so_whatever_its_program_ends_with(
    tmp_path: Path, ends_with: int, code: int
) -> None:
    program = f'trap "sleep 0.2; exit {ends_with}" TERM; touch "$FOLDER/ready"; while :; do sleep 0.05; done'
    assert stop(tmp_path, PLAIN, program, "ready", **TOGETHER) == code


def test_a_program_that_dies_of_sigterm_was_stopped(tmp_path: Path) -> None:
    assert stop(tmp_path, PLAIN, 'touch "$FOLDER/ready"; exec sleep 60', "ready") == 75


def test_a_pod_that_is_told_to_stop_before_its_program_starts_starts_nothing(tmp_path: Path) -> None:
    script = 'touch "$FOLDER/ready"; while [ ! "$told" ]; do sleep 0.05; done\n' + PLAIN
    assert stop(tmp_path, script, 'touch "$FOLDER/started"', "ready") == 75
    assert not (tmp_path / "started").exists()


def test_a_program_whose_peer_is_told_to_stop_first_was_stopped_too(tmp_path: Path) -> None:
    """It has failed, because its peer is gone, and waits; then the controller ends its pod."""
    long = 'sleep() { touch "$FOLDER/waits"; command sleep "$1"; }\n'
    assert stop(tmp_path, long + PLAIN, "exit 1", "waits", **TOGETHER) == 75


def test_variables_of_the_image_are_not_those_of_the_shell(tmp_path: Path) -> None:
    assert end(tmp_path, "exit 1", told="1", code="0", program="1") == (1, False)
