"""Policy findings as Problems, and the place of a Problem in its stack file; nothing here loads Pulumi."""

from dataclasses import dataclass, replace
from typing import TypeVar

from policies import Waiver

from ..errors import Problem
from ..loading import Source
from ..loading.source import IN_FILE

_Problem = TypeVar("_Problem", bound=Problem)


@dataclass(frozen=True, slots=True)
class PolicyProblem(Problem):
    """A finding of a policy rule; its kind is the id of the rule."""

    waiver: Waiver | None = None
    """The waiver that sets the finding aside."""


def put_into_file(problem: _Problem, source: Source) -> _Problem:
    """Return the problem with the file and with the line of its field, or of the innermost part around it."""
    return replace(problem, file=source.file, line=source.line_of(IN_FILE + problem.path))
