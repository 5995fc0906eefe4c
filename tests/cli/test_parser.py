"""The examples of --help, and the commands that the pages show."""

import argparse
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from gpu_blueprint.cli import main
from gpu_blueprint.cli.parser import build_parser

from ..support.plans import ROOT

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
ELSEWHERE = {"rehearse", "lifecycle", "advise", "docs", "changes", "job"}
"""Commands whose examples need engines, a cluster, a repository, the project's own folder or a model: they are only
parsed."""
ACCOUNT = {
    "preflight prod --profile sandbox",
    "preflight prod --kubeconfig ~/.kube/config --context gpu-prod",
    "leftovers prod --state state.json",
}
"""Examples that need AWS or a cluster."""


def find_commands(text: str) -> list[str]:
    """Return what stands behind each ``blueprint`` of a shell's lines: the arguments."""
    return [found.strip() for found in re.findall(r"^(?:.*[ (/])?blueprint ([^|)#>\n]+)", text, re.MULTILINE)]


def list_commands() -> dict[str, argparse.ArgumentParser]:
    (commands,) = (action for action in build_parser()._actions if isinstance(action, argparse._SubParsersAction))
    return dict(commands.choices)


def list_examples(name: str) -> list[str]:
    epilog = list_commands()[name].epilog
    assert epilog
    return find_commands(epilog)


def find_code(page: str) -> Iterator[str]:
    """Yield the lines of shell in a page: consoles, indented blocks, and code inside sentences."""
    yield from (line for block in re.findall(r"```console\n(.*?)```", page, re.DOTALL) for line in block.splitlines())
    yield from re.findall(r"^ {4,}(\S.*)$", page, re.MULTILINE)
    yield from re.findall(r"`([^`\n]+)`", page)


@pytest.mark.parametrize("name", list_commands())
def test_the_help_of_every_command_shows_examples_of_this_command(name: str) -> None:
    examples = list_examples(name)
    assert examples
    for example in examples:
        assert build_parser().parse_args(shlex.split(example)).command == name


@pytest.mark.parametrize("name", list_commands())
def test_the_help_of_every_command_fits_80_columns_and_keeps_its_examples_whole(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit):
        main([name, "--help"])
    shown = capsys.readouterr().out
    assert max(map(len, shown.splitlines())) <= 80
    assert str(list_commands()[name].epilog) in shown


def test_the_examples_run(project: Path) -> None:
    ran = []
    for name in sorted({*list_commands()} - ELSEWHERE, key=lambda name: name != "render"):  # cost reads its plan.json
        for example in list_examples(name):
            if example not in ACCOUNT:
                assert main(shlex.split(example)) == 0, example
                ran.append(example)
    assert len(ran) >= 20


def test_every_command_of_the_pages_can_be_parsed(capsys: pytest.CaptureFixture[str]) -> None:
    found = []
    for page in PAGES:
        for line in find_code(page.read_text()):
            for command in find_commands(line):
                words = [word.replace("STACK", "prod").replace("ALERT", "name") for word in shlex.split(command)]
                if len(words) == 1 and words[0] in list_commands():
                    continue  # the name of a command, in a sentence
                try:
                    build_parser().parse_args(words)
                except SystemExit as ended:
                    assert ended.code == 0, f"{page.name}: blueprint {command}: {capsys.readouterr().err}"
                found.append(command)
    assert len(found) > 20
