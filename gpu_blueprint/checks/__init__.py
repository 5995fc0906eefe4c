"""Rules that need two sections of a stack: each is a function from the config to Problems."""

from collections.abc import Iterator
from datetime import date

from ..config import StackConfig
from ..errors import Problem
from .budgets import spending_problems, spending_warnings
from .capacity import capacity_problems, capacity_warnings
from .headroom import headroom_problems, headroom_warnings
from .services import service_problems, service_warnings
from .tenant_quotas import name_problems, quota_problems, quota_warnings


def find_problems(stack: StackConfig) -> Iterator[Problem]:
    """Yield everything that makes a stack impossible; each of its models must be right by itself."""
    yield from quota_problems(stack)
    yield from name_problems(stack)
    yield from headroom_problems(stack)
    yield from service_problems(stack)
    yield from capacity_problems(stack)
    yield from spending_problems(stack)


def find_warnings(stack: StackConfig, today: date) -> Iterator[Problem]:
    """Yield what is legal but unwise in a stack without problems; reservations end, so the day matters."""
    yield from quota_warnings(stack)
    yield from service_warnings(stack)
    yield from headroom_warnings(stack)
    yield from capacity_warnings(stack, today)
    yield from spending_warnings(stack)
