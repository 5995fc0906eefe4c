"""The questions that a stack raises, asked side by side."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from ...config import StackConfig
from ...records import replace
from . import endpoints, identity, images, limits, offerings, references, reservations, subnets, zones
from .answers import Account, Question, UnansweredError
from .findings import Finding

_PARALLEL_CALLS = 8
"""Fast enough, and far below EC2's rate limits."""


def list_questions(stack: StackConfig) -> list[Question]:
    """Return every question about a stack, in the order of the report."""
    checks = (identity, limits, offerings, images, reservations, zones, endpoints, subnets, references)
    return [question for check in checks for question in check.list_questions(stack)]


def ask_account(stack: StackConfig, account: Account) -> list[Finding]:
    """Ask every question about a stack, in parallel."""
    with ThreadPoolExecutor(_PARALLEL_CALLS) as threads:
        answers = threads.map(lambda question: ask_question(question, account), list_questions(stack))
        return [finding for findings in answers for finding in findings]


def ask_question(question: Question, account: Account) -> Sequence[Finding]:
    """Ask one question. If it gets no answer, the finding says why, and the other questions are still asked."""
    try:
        return question.ask(account)
    except UnansweredError as error:
        problem = replace(error.problem, subject=question.subject)
        return [Finding(check=question.check, subject=question.subject, status=error.status, problem=problem)]
