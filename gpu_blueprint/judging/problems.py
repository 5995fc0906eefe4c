"""Policy findings as Problems, and the line of a Problem in its stack file; this module does not load Pulumi."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from policies import RULES, Waiver

from ..errors import Problem
from ..loading import Source
from ..loading.file_keys import IN_FILE
from .formats import count_severities
from .levels import describe_levels

_Problem = TypeVar("_Problem", bound=Problem)


@dataclass(frozen=True, slots=True)
class PolicyProblem(Problem):
    """A finding of a policy rule; its kind is the id of the rule."""

    waiver: Waiver | None = None
    """The waiver that sets the finding aside."""


def put_into_file(problem: _Problem, source: Source) -> _Problem:
    """Return the problem with its file, and with the line of its field or of the innermost part around the field."""
    return replace(problem, file=source.file, line=source.find_line(IN_FILE + problem.path))


def summarize_findings(findings: Sequence[Problem], environment: str = "") -> str:
    """Return one line about all findings of the policies, with the file of levels if the environment borrows it."""
    borrowed = describe_levels(environment) if environment else ""
    counted = count_severities(findings) if findings else "all pass"
    return f"{len(RULES)} policies: {counted}{f' ({borrowed})' if borrowed else ''}"
