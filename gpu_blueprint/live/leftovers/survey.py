"""A question to the account: which objects of one kind belong to the platform?"""

from collections.abc import Callable, Iterator

from ...records import Record, replace
from ..preflight import Account, Finding, UnansweredError
from .resource import Resource


class Survey(Record):
    """One question about one kind. ``check`` is its row in permissions.py, ``subject`` names it if AWS refuses."""

    check: str
    subject: str
    ask: Callable[[Account], Iterator[Resource | Finding]]
    """Yields objects, and findings about objects that AWS does not describe."""


def take_survey(survey: Survey, account: Account) -> list[Resource | Finding]:
    """Return the objects; if AWS does not answer, the objects so far and the finding that says why."""
    found: list[Resource | Finding] = []
    try:
        for answer in survey.ask(account):
            found.append(answer)
    except UnansweredError as error:
        found.append(write_finding(survey.check, survey.subject, error))
    return found


def write_finding(check: str, subject: str, error: UnansweredError) -> Finding:
    """Return the finding about a question without an answer."""
    problem = replace(error.problem, subject=subject)
    return Finding(check=check, subject=subject, status=error.status, problem=problem)
