"""Stack files as their authors write them: each bad one says at its top what is wrong with it.

A leading comment of a bad file is one expected line, without the file's name: ``# <line>: <field>: <message>``.
"""

from itertools import takewhile
from pathlib import Path

import pytest

from blueprint.config import existing_stacks, load, warnings
from blueprint.config.source import STACKS
from blueprint.errors import StackError

BAD = Path(__file__).parent / "configs" / "bad"
GOOD = Path(__file__).parent / "configs" / "good"
SHIPPED = Path(__file__).parent.parent / STACKS


def expected(file: Path) -> list[str]:
    """The lines that a bad file wants to be refused with."""
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
    assert refused(name, BAD) == expected(BAD / f"Pulumi.{name}.yaml")


@pytest.mark.parametrize("name", existing_stacks(GOOD))
def test_a_good_file_has_neither_problems_nor_warnings(name: str) -> None:
    assert warnings(load(name, GOOD)) == ()


@pytest.mark.parametrize("name", existing_stacks(SHIPPED))
def test_a_shipped_stack_has_no_problem(name: str) -> None:
    assert load(name, SHIPPED).environment == name


def test_both_folders_hold_files() -> None:
    assert len(existing_stacks(BAD)) > 100
    assert len(existing_stacks(GOOD)) >= 8
