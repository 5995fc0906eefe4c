"""Findings of preflight: a check passed, or a Problem states what the account lacks."""

from collections.abc import Iterable
from enum import StrEnum

from ...problem import Problem
from ...records import Record, replace


class Status(StrEnum):
    """The result of a check. A question without an answer never counts as passed."""

    PASS = "pass"
    WARN = "warn"
    FAIL = "fail"
    DENIED = "no permission"
    UNANSWERED = "no answer"
    LOCKED_OUT = "no credentials"


class Finding(Record, kw_only=True):
    """The result of one check for one subject, such as a reservation or a pool."""

    check: str
    """Name of the check; permissions.py lists its calls under this name."""
    subject: str
    status: Status
    fact: str = ""
    """State of the account, where the check passed."""
    problem: Problem | None = None
    """The reason why the check did not pass."""

    @property
    def message(self) -> str:
        """The fault, or the state of the account where the check passed."""
        return self.problem.reason if self.problem else self.fact

    @property
    def remedy(self) -> str:
        """A command or a sentence; empty where the check passed."""
        return self.problem.hint if self.problem else ""

    def as_json(self) -> dict[str, str]:
        """Return the finding as a JSON object."""
        return {
            "check": self.check,
            "subject": self.subject,
            "status": self.status.value,
            "message": self.message,
            "remedy": self.remedy,
        }


def confirm(check: str, subject: str, fact: str) -> Finding:
    """Return a finding that the check passed."""
    return Finding(check=check, subject=subject, status=Status.PASS, fact=fact)


def report(check: str, subject: str, problem: Problem) -> Finding:
    """Return a finding that the check failed or warns, depending on the severity of the problem."""
    status = Status.FAIL if problem.severity == "error" else Status.WARN
    return Finding(check=check, subject=subject, status=status, problem=replace(problem, subject=subject))


def list_problems(findings: Iterable[Finding]) -> list[Problem]:
    """Return the problems of all findings that did not pass."""
    return [finding.problem for finding in findings if finding.problem]


def choose_exit_code(findings: Iterable[Finding]) -> int:
    """Return 0 if nothing failed, 1 if a check failed or got no answer, 2 if AWS does not accept the credentials."""
    statuses = {finding.status for finding in findings}
    if Status.LOCKED_OUT in statuses:
        return 2
    return 0 if statuses <= {Status.PASS, Status.WARN} else 1
