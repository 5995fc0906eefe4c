"""The cost of a stack, explained, and as JSON."""

from collections.abc import Iterator
from typing import Any

from ...config import StackConfig
from ...cost.estimate import as_json, estimate_stack
from ...cost.money import Usd
from ...subjects.queues.ceilings import ceilings_as_json
from ..amounts import describe_cost
from ..facet import Explain


def _describe_bounded_cost(stack: StackConfig) -> Iterator[str]:
    """Yield the stack's cost, and the bounds in the stack file."""
    yield from describe_cost(estimate_stack(stack).cost)
    if stack.hourly_ceiling is not None:
        yield f"hourlyCeiling: {Usd(stack.hourly_ceiling)}"
    if stack.monthly_budget is not None:
        yield f"monthlyBudget: {Usd(stack.monthly_budget)}"


def _write_cost(stack: StackConfig) -> dict[str, Any]:
    return {**as_json(estimate_stack(stack)), "hourlyCeilings": ceilings_as_json(stack)}


EXPLAIN = Explain(lines={"cost": _describe_bounded_cost}, document={"cost": _write_cost})
