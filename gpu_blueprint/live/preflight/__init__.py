"""Questions to an AWS account, reading only: can it hold what a stack says? Nothing here writes anything."""

from .answers import Account, Finding, Question, RefusedError, Status, UnansweredError
from .permissions import policy
from .run import answer, exit_code, questions, run

__all__ = [
    "Account",
    "Finding",
    "Question",
    "RefusedError",
    "Status",
    "UnansweredError",
    "answer",
    "exit_code",
    "policy",
    "questions",
    "run",
]
