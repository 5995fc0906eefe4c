"""A stack may not cost more than its file allows."""

from collections.abc import Iterator

from ..config import StackConfig
from ..cost.bounds import PLATFORM, hourly_ceilings, monthly_expectations
from ..cost.money import Usd
from ..errors import Problem

BOUNDS = (("hourlyCeiling",), ("monthlyBudget",))
"""The fields that bound what a stack may cost."""


def spending_problems(stack: StackConfig) -> Iterator[Problem]:
    """Yield what the stack can cost above its bounds; the stack must be without other problems."""
    yield from _above_hourly_ceiling(stack)
    yield from _above_monthly_budget(stack)


def _above_hourly_ceiling(stack: StackConfig) -> Iterator[Problem]:
    allowed, parts = stack.hourly_ceiling, hourly_ceilings(stack)
    whole = sum(parts.values(), start=Usd())
    if allowed is not None and round(whole.known, 2) > allowed:
        text = f"with every limit reached the stack costs {whole} an hour on demand, {_more(whole.known - allowed)} than this"
        yield Problem("todo", ("hourlyCeiling",), f"{text}; {_blame(stack, parts, 'lower its maxGpus')}, or allow more")


def _above_monthly_budget(stack: StackConfig) -> Iterator[Problem]:
    allowed, parts = stack.monthly_budget, monthly_expectations(stack)
    whole = sum(parts.values(), start=Usd())
    if allowed is not None and round(whole.known, 2) > allowed:
        silent = [name for name, pool in stack.pools_by_name.items() if pool.says_no_expectation]
        remedy = f" ({', '.join(silent)}: without expectedHours or expectedUtilization always at the ceiling)"
        text = f"the stack is expected to cost {whole} a month, {_more(whole.known - allowed)} than this"
        lower = f"lower what it may or should use{remedy if silent else ''}"
        yield Problem("todo", ("monthlyBudget",), f"{text}; {_blame(stack, parts, lower)}, or allow more")


def _more(usd: float) -> str:
    return f"{Usd(usd)} more"


def _blame(stack: StackConfig, parts: dict[str, Usd], lower: str) -> str:
    """Name what costs most, and what would lower it."""
    name = max(parts, key=lambda part: parts[part].known)
    if name == PLATFORM:
        return f"most of it by the platform itself ({parts[name]}): see `cost`"
    fixed = stack.pools_by_name[name].purchase == ["reserved"]
    return f"most of it by pool {name} ({parts[name]}): {'give reservations back' if fixed else lower}"


def spending_warnings(stack: StackConfig) -> Iterator[Problem]:
    """Yield bounds that hold only as far as prices are known."""
    bounded = (
        ("hourlyCeiling", stack.hourly_ceiling, hourly_ceilings),
        ("monthlyBudget", stack.monthly_budget, monthly_expectations),
    )
    for name, allowed, parts in bounded:
        missing = frozenset().union(*(part.unknown for part in parts(stack).values()))
        if allowed is not None and missing:
            text = f"no price is known of {', '.join(sorted(missing))}, so the bound was held against the rest"
            yield Problem("todo", (name,), text, severity="warning")
