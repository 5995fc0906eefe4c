"""Questions to an AWS account: can it hold the stack? Preflight only reads and changes nothing."""

from .answers import Account, Question, RefusedError, UnansweredError
from .findings import Finding, Status, choose_exit_code, list_problems
from .permissions import build_policy
from .run import ask_question, list_questions, ask_account

__all__ = [
    "Account",
    "Finding",
    "Question",
    "RefusedError",
    "Status",
    "UnansweredError",
    "ask_question",
    "choose_exit_code",
    "list_problems",
    "build_policy",
    "list_questions",
    "ask_account",
]
