"""Which questions a stack raises, and asking them side by side."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from ...config import StackConfig
from . import identity, images, limits, offerings, reservations, subnets
from .answers import Account, Finding, Question, Status, UnansweredError

_AT_ONCE = 8
"""Calls under way at a time: quick, and far below EC2's rate limits."""


def questions(stack: StackConfig) -> list[Question]:
    """Everything to ask about a stack, in the order of the report."""
    subjects = (identity, limits, offerings, images, reservations, subnets)
    return [question for subject in subjects for question in subject.questions(stack)]


def run(stack: StackConfig, account: Account) -> list[Finding]:
    """Ask everything, side by side."""
    with ThreadPoolExecutor(_AT_ONCE) as threads:
        answers = threads.map(lambda question: answer(question, account), questions(stack))
        return [finding for found in answers for finding in found]


def answer(question: Question, account: Account) -> Sequence[Finding]:
    """Ask one question; without an answer, the finding says why, and the others still get theirs."""
    try:
        return question.ask(account)
    except UnansweredError as why:
        return [
            Finding(
                check=question.check,
                subject=question.subject,
                status=why.status,
                message=why.message,
                remedy=why.remedy,
            )
        ]


def exit_code(findings: Sequence[Finding]) -> int:
    """0 all well, 1 something fails or was not answered, 2 AWS does not take the credentials."""
    ended = {finding.status for finding in findings}
    if Status.LOCKED_OUT in ended:
        return 2
    return 0 if ended <= {Status.PASS, Status.WARN} else 1
