"""The sums that ``hourlyCeiling`` and ``monthlyBudget`` bound, by pool and for the platform."""

from ..config import StackConfig
from .money import Usd
from .platform import platform_cost
from .pools import ON_DEMAND, cost_of, terms_of

PLATFORM = ""
"""Stands for what belongs to no pool."""


def hourly_ceilings(stack: StackConfig) -> dict[str, Usd]:
    """What ``hourlyCeiling`` bounds: dollars an hour with every limit reached, on demand."""
    pools = {pool.name: cost_of(stack, pool, ON_DEMAND).ceiling.hour for pool in stack.pools}
    return {**pools, PLATFORM: platform_cost(stack).ceiling.hour}


def monthly_expectations(stack: StackConfig) -> dict[str, Usd]:
    """What ``monthlyBudget`` bounds: dollars a month as expected and as bought."""
    pools = {pool.name: cost_of(stack, pool, terms_of(stack, pool)).expected.month for pool in stack.pools}
    return {**pools, PLATFORM: platform_cost(stack).expected.month}
