"""What is asked of an account and what comes back: a finding, or the reason why there is no answer."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol


class Status(StrEnum):
    """How a question ended; what was not answered is not taken for fine."""

    PASS = "pass"
    WARN = "warn"
    FAIL = "fail"
    DENIED = "no permission"
    UNANSWERED = "no answer"
    LOCKED_OUT = "no credentials"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What one question found about one thing; ``remedy`` is a command or a sentence, empty when all is well."""

    check: str
    subject: str
    status: Status
    message: str
    remedy: str = ""

    def as_json(self) -> dict[str, str]:
        """Write it for programs."""
        return {
            "check": self.check,
            "subject": self.subject,
            "status": self.status.value,
            "message": self.message,
            "remedy": self.remedy,
        }


class Account(Protocol):
    """One AWS account in one region, asked by the names of the API's operations."""

    def ask(self, service: str, operation: str, **parameters: Any) -> Any:
        """Return the whole answer, all pages in one.

        Raises:
            UnansweredError: AWS did not answer, or did not let us ask.
            RefusedError: AWS answered with an error of its own.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One thing to ask; ``subject`` names it when there is no answer."""

    check: str
    subject: str
    ask: Callable[[Account], Sequence[Finding]]


class UnansweredError(Exception):
    """A question that got no answer, and why."""

    def __init__(self, status: Status, message: str, remedy: str) -> None:
        self.status, self.message, self.remedy = status, message, remedy
        super().__init__(message)


def part(answer: Any, *path: str) -> Any:
    """What stands in an answer where the API always has something; what lacks it did not come from AWS."""
    for key in path:
        answer = answer.get(key) if isinstance(answer, dict) else None
    if answer is None:
        text = f"the answer lacks {'.'.join(path)}, so it is not from AWS"
        raise UnansweredError(Status.UNANSWERED, text, "look at the proxy and at AWS_ENDPOINT_URL")
    return answer


class RefusedError(UnansweredError):
    """An error that AWS answered with; a check may know what its code means."""

    def __init__(self, code: str, message: str) -> None:
        self.code = code
        remedy = f"look {code} up in the service's API reference, and run it again"
        super().__init__(Status.UNANSWERED, f"AWS answered {code}: {message}", remedy)
