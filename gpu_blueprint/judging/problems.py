"""Policy findings as Problems, and the line of a Problem in its stack file; this module does not load Pulumi."""

from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

from policies import RULES, Waiver

from ..loading import Source
from ..loading.file_keys import IN_FILE
from ..problem import Problem
from ..records import replace
from .formats import count_severities
from .levels import count_disabled, describe_levels, find_levels_file

_Problem = TypeVar("_Problem", bound=Problem)


class PolicyProblem(Problem):
    """A finding of a policy rule; its kind is the id of the rule."""

    waiver: Waiver | None = None
    """The waiver that sets the finding aside."""


def put_into_file(problem: _Problem, source: Source) -> _Problem:
    """Return the problem with its file, and with the line of its field or of the innermost part around the field."""
    return replace(problem, file=source.file, line=source.find_line(IN_FILE + problem.path))


def summarize_findings(findings: Sequence[Problem], environment: str, levels: Path | None = None) -> str:
    """Return one line about all findings of the policies, with the rules that did not judge and a borrowed file.

    Args:
        findings: The findings of every rule that is not disabled.
        environment: The environment of the stack.
        levels: The policy configuration that the user named in place of the configuration of the environment.
    """
    borrowed = "" if levels else describe_levels(environment)
    disabled = count_disabled(levels or find_levels_file(environment))
    counted = count_severities(findings) if findings else "all pass"
    notes = [f"{disabled} disabled" if disabled else "", borrowed]
    noted = ", ".join(note for note in notes if note)
    return f"{len(RULES) - disabled} policies: {counted}{f' ({noted})' if noted else ''}"
