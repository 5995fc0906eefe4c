"""The warnings whose result depends on the day."""

from collections.abc import Callable, Iterator
from datetime import date

from ..config import StackConfig
from ..problem import Problem
from .budgets import warn_of_old_prices
from .reservations import warn_of_ending_reservations
from .versions import warn_of_ending_support, warn_of_old_amis

DATED_WARNINGS: tuple[Callable[[StackConfig, date], Iterator[Problem]], ...] = (
    warn_of_ending_reservations,
    warn_of_ending_support,
    warn_of_old_amis,
    warn_of_old_prices,
)
"""Rules for stacks without problems."""
