"""Stack files as their authors write them: each bad one says at its top what is wrong with it.

The leading comment of a bad file is what it is refused with, one line each, without the file's name:
``# <line>: <field>: <message>``. That of a good file says what it shows, then what its pools hand out.
"""

from datetime import date
from itertools import takewhile
from pathlib import Path

import pytest

from gpu_blueprint.checks import find_warnings
from gpu_blueprint.errors import StackError, UsageError
from gpu_blueprint.loading import existing_stacks, load
from gpu_blueprint.loading.source import STACKS

from ..support.plans import ROOT

BAD = ROOT / "tests" / "configs" / "bad"
GOOD = ROOT / "tests" / "configs" / "good"
SHIPPED = ROOT / STACKS
NAMES = ("dev", "research", "prod")
"""A fork may have more: those are its own."""
TODAY = date(2026, 11, 20)


def leading_comment(file: Path) -> list[str]:
    lines = file.read_text(encoding="utf-8").splitlines()
    return [line.removeprefix("# ") for line in takewhile(lambda line: line.startswith("# "), lines)]


def refused(name: str, folder: Path) -> list[str]:
    """The lines that a file is refused with, without its name."""
    with pytest.raises(StackError) as caught:
        load(name, folder)
    file = (folder / f"Pulumi.{name}.yaml").as_posix()
    assert all(problem.file == file for problem in caught.value.problems)
    return [str(problem).removeprefix(f"{file}:") for problem in caught.value.problems]


@pytest.mark.parametrize("name", existing_stacks(BAD))
def test_a_bad_file_is_refused_in_exactly_these_words(name: str) -> None:
    assert refused(name, BAD) == leading_comment(BAD / f"Pulumi.{name}.yaml")


@pytest.mark.parametrize("name", existing_stacks(GOOD))
def test_a_good_file_has_neither_problems_nor_warnings(name: str) -> None:
    assert list(find_warnings(load(name, GOOD), TODAY)) == []


@pytest.mark.parametrize("name", existing_stacks(GOOD))
def test_a_good_file_hands_out_what_it_says(name: str) -> None:
    made = [f"{pool.name}: {pool.profile.summary}" for pool in load(name, GOOD).pools]
    assert made == leading_comment(GOOD / f"Pulumi.{name}.yaml")[1:]


@pytest.mark.parametrize("name", NAMES)
def test_a_shipped_stack_has_no_problem(name: str) -> None:
    assert load(name, SHIPPED).environment == name


def test_both_folders_hold_files() -> None:
    assert len(existing_stacks(BAD)) > 150
    assert len(existing_stacks(GOOD)) > 10


def test_a_file_that_is_not_there_is_answered_with_those_that_are() -> None:
    with pytest.raises(UsageError, match=r"Pulumi\.arm46\.yaml: no such stack file \(did you mean arm64\?\)"):
        load("arm46", GOOD)


def test_a_file_that_is_no_text_is_refused_with_its_name(tmp_path: Path) -> None:
    (tmp_path / "Pulumi.test.yaml").write_bytes(b"config:\n  owner: m\xfcller\n")
    with pytest.raises(UsageError, match=r"Pulumi\.test\.yaml: cannot be read: 'utf-8' codec"):
        load("test", tmp_path)


@pytest.mark.parametrize(
    "text", ["config: &all {gpu-blueprint:stack: *all}\n", "config: {day: 2027-02-31}\n"], ids=["loop", "no such day"]
)
def test_yaml_that_cannot_be_read_is_refused_at_its_line(text: str, tmp_path: Path) -> None:
    (tmp_path / "Pulumi.test.yaml").write_text(text, encoding="utf-8")
    assert all(line.startswith("1: ") for line in refused("test", tmp_path))
