"""Questions to an AWS account: can it hold the stack? Preflight only reads and changes nothing."""

from .answers import Account, Question, RefusedError, UnansweredError
from .findings import Finding, Status, exit_code, list_problems
from .permissions import policy
from .run import answer, questions, run

__all__ = [
    "Account",
    "Finding",
    "Question",
    "RefusedError",
    "Status",
    "UnansweredError",
    "answer",
    "exit_code",
    "list_problems",
    "policy",
    "questions",
    "run",
]
