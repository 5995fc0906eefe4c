"""The checks of a subject, which its modules give by the names of their functions."""

import sys
from collections.abc import Callable, Iterator
from datetime import date
from importlib import import_module
from pkgutil import iter_modules
from types import FunctionType, ModuleType

from ..config import StackConfig
from ..problem import Problem
from ..records import Record

Check = Callable[[StackConfig], Iterator[Problem]]
DatedCheck = Callable[[StackConfig, date], Iterator[Problem]]
PREFIXES = ("refuse_", "warn_", "suggest_")
"""The beginnings of the names of checks; no other public function below ``checks/`` has one."""
_EARLY: set[Check] = set()


class Checks(Record, kw_only=True):
    """The checks of a subject, by what they find and when they may run."""

    early: tuple[Check, ...]
    """Checks that refuse a stack whose models may have problems of their own; all other checks rely on them."""
    refuse: tuple[Check, ...]
    """Checks that refuse a stack which passed the early checks."""
    warn: tuple[Check, ...]
    """Checks of stacks that nothing refuses."""
    dated: tuple[DatedCheck, ...]
    """Checks like ``warn`` whose result depends on the day, which they take as a second argument."""
    suggest: tuple[Check, ...]
    """Checks whose notes point out what may be meant: they make no stack wrong or unwise."""


def early(check: Check) -> Check:
    """Mark a check that runs before all checks without this mark."""
    _EARLY.add(check)
    return check


def collect(package: str) -> Checks:
    """Return the checks of all modules of a package, in the order of the modules' names and of their lines."""
    modules = [import_module(f"{package}.{found.name}") for found in iter_modules(sys.modules[package].__path__)]
    found = [check for module in modules for check in _list_checks(module)]

    def choose(prefix: str, *, is_early: bool = False, is_dated: bool = False) -> tuple[FunctionType, ...]:
        return tuple(
            check
            for check in found
            if check.__name__.startswith(prefix)
            and (check in _EARLY) == is_early
            and (check.__code__.co_argcount > 1) == is_dated
        )

    return Checks(
        early=choose("refuse_", is_early=True),
        refuse=choose("refuse_"),
        warn=choose("warn_"),
        dated=choose("warn_", is_dated=True),
        suggest=choose("suggest_"),
    )


def _list_checks(module: ModuleType) -> Iterator[FunctionType]:
    for name, value in vars(module).items():
        if name.startswith(PREFIXES) and isinstance(value, FunctionType) and value.__module__ == module.__name__:
            yield value
