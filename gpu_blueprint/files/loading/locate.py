"""Place the problems of a stack object in its file, with path and line."""

from collections.abc import Iterable
from typing import TypeVar

from ...problem import Path, Problem
from ...records import replace
from .file_keys import IN_FILE, REGION_IN_FILE, shorten
from .source import Source

_Problem = TypeVar("_Problem", bound=Problem)


def find_path_in_file(path: Path) -> Path:
    """Return the place in the file of a field of the stack; that of ``region`` is ``aws:region``."""
    return REGION_IN_FILE if path == ("region",) else (*IN_FILE, *path)


def add_path_in_file(problem: Problem) -> Problem:
    """Return the problem with its path in the file."""
    return replace(problem, path=find_path_in_file(problem.path))


def add_lines(source: Source, problems: Iterable[Problem]) -> list[Problem]:
    """Return each problem once, sorted by line, with its file, its line, and its path inside the stack object."""
    located = [
        replace(
            problem, path=shorten(problem.path), file=source.file, line=problem.line or source.find_line(problem.path)
        )
        for problem in dict.fromkeys(problems)
    ]
    return sorted(located, key=lambda problem: problem.line)


def add_file_and_line(problem: _Problem, source: Source) -> _Problem:
    """Return the problem with its file and line: the line of its field, else of the innermost value around it."""
    return replace(problem, file=source.file, line=source.find_line(IN_FILE + problem.path))
