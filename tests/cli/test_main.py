"""The command line itself: names of stacks, exit codes, closed pipes."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from gpu_blueprint import __version__
from gpu_blueprint.cli import main

from ..support.plans import ROOT

WITH_PACKAGE = {**os.environ, "PYTHONPATH": str(ROOT)}


@pytest.mark.parametrize("stack", ["../etc/passwd", "stacks/dev", "", "a b"])
def test_a_wrong_stack_name_ends_with_2(project: Path, stack: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", stack]) == 2
    assert "is not the name of a stack" in capsys.readouterr().err


def test_the_name_of_a_file_is_answered_with_the_name_of_the_stack(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "stacks/Pulumi.dev.yaml"]) == 2
    assert "is a file, the stack is called dev" in capsys.readouterr().err


def test_no_arguments_show_the_commands(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert main([]) == 2
    assert "show the whole platform" in capsys.readouterr().err


def test_a_missing_stack_ends_with_2_and_names_the_near_miss(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["preview", "prd"]) == 2
    assert "did you mean prod?" in capsys.readouterr().err


def test_ctrl_c_ends_with_130_and_without_traceback(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr("gpu_blueprint.cli.check.run", interrupt)
    assert main(["check", "dev"]) == 130


def test_a_closed_pipe_is_no_error(project: Path) -> None:
    command = f"set -o pipefail; {sys.executable} -m gpu_blueprint preview prod | head -1"
    done = subprocess.run(
        ["bash", "-c", command], cwd=project, env=WITH_PACKAGE, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("command", ["check prod", "explain prod", "cost prod --json"])
def test_a_closed_output_is_no_error(project: Path, command: str) -> None:
    closed = f"{sys.executable} -m gpu_blueprint {command} >&-"
    done = subprocess.run(["bash", "-c", closed], env=WITH_PACKAGE, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("command", ["check prod", "check prod --json", "explain prod"])
def test_a_full_disk_ends_with_2_and_one_line(project: Path, command: str) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    full = f"{sys.executable} -m gpu_blueprint {command} >/dev/full"
    done = subprocess.run(["bash", "-c", full], env=WITH_PACKAGE, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, "the output cannot be written: No space left on device\n")


def test_a_terminal_without_unicode_gets_question_marks(project: Path) -> None:
    command = [sys.executable, "-m", "gpu_blueprint", "explain", "prod"]
    environment = {**WITH_PACKAGE, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "") and "?" in done.stdout


def test_the_version_is_the_version_of_the_package(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert (ended.value.code, capsys.readouterr().out) == (0, f"blueprint {__version__}\n")


@pytest.mark.parametrize(
    "arguments",
    [["check", "dev"], ["preview", "dev"], ["cost", "dev"], ["cost", "prod", "--compare", "dev"], ["preflight", "dev"]],
)
def test_every_command_with_formats_prints_a_broken_stack_in_them(
    project: Path, arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    file = project / "stacks" / "Pulumi.dev.yaml"
    file.write_text(file.read_text().replace("gpu: l4", "gpu: l4s"))
    assert main([*arguments, "--format", "json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert document["stack"] == "dev"
    assert [problem["path"] for problem in document["problems"]] == ["pools.0.gpu"]
    assert main([*arguments, "--format", "sarif"]) == 1
    (run,) = json.loads(capsys.readouterr().out)["runs"]
    assert [result["level"] for result in run["results"]] == ["error"]
    assert run["automationDetails"] == {"id": f"gpu-blueprint/{arguments[0]}/dev/"}
    assert main([*arguments, "--format", "markdown"]) == 1
    assert capsys.readouterr().out.startswith("**dev**: 1 error.\n\n| where |")
    assert main(arguments) == 1
    captured = capsys.readouterr()
    assert captured.out == "" and "pools.0.gpu: unknown GPU model" in captured.err


def test_json_is_short_for_the_format_json(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "dev", "--json"]) == 0
    short = capsys.readouterr().out
    assert main(["check", "dev", "--format", "json"]) == 0
    assert capsys.readouterr().out == short


def test_an_unknown_format_ends_with_2(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["check", "dev", "--format", "xml"])
    assert ended.value.code == 2
    assert "invalid choice: 'xml'" in capsys.readouterr().err


def test_control_characters_of_a_stack_file_do_not_reach_the_terminal(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = project / "stacks" / "Pulumi.dev.yaml"
    file.write_text(file.read_text().replace("gpu: l4", 'gpu: "\\e[31ml4"'))
    assert main(["check", "dev"]) == 1
    assert "\x1b" not in capsys.readouterr().err
