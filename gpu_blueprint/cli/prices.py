"""Warn of old prices in commands that print dollars, but no other warning of the stack."""

from datetime import date

from ..checks.money.budgets import warn_of_old_prices
from ..files.loading import StackFile
from ..files.loading.locate import add_file_and_line
from .text.problems import print_lines


def warn_of_prices(stack: StackFile) -> None:
    """Print a warning to standard error if prices of the stack are older than a year."""
    found = warn_of_old_prices(stack.config, date.today())
    print_lines([add_file_and_line(problem, stack.source) for problem in found], to_errors=True)
