"""The shell around a run, in a real shell."""

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from gpu_blueprint.training.shells import build_shell

PROGRAM = 'trap "exit 75" TERM; touch "$1"; while :; do sleep 0.05; done'


def test_the_program_gets_its_words_and_the_shell_its_code() -> None:
    command = build_shell(
        'run "$@"; echo "after $code"; exit $code', "sh", "-c", 'echo "$1"; exit 42', "sh", "two words"
    )
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (42, "two words\nafter 42\n")


@pytest.mark.parametrize(("program", "code"), [(PROGRAM, 75), (PROGRAM.replace("exit 75", "exit 0"), 0)])
def test_a_program_that_is_told_to_stop_still_sets_the_code(tmp_path: Path, program: str, code: int) -> None:
    ready = tmp_path / "ready"
    script = 'run "$@"; echo "told $told, code $code"; exit $code'
    command = build_shell(script, "sh", "-c", program, "sh", str(ready))
    shell = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True)
    try:
        while not ready.exists():
            assert shell.poll() is None
            time.sleep(0.01)
        shell.send_signal(signal.SIGTERM)
        out, _ = shell.communicate(timeout=60)
    finally:
        if shell.poll() is None:
            os.killpg(shell.pid, signal.SIGKILL)
    assert (shell.returncode, out) == (code, f"told 1, code {code}\n")
