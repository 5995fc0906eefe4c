"""Amounts of GPUs and of money, in words."""

from collections.abc import Iterator

from ..config import Pool
from ..config.tenants import GpuAmount
from ..cost.money import Cost


def describe_amount(pool: Pool, amount: GpuAmount, times: int = 1) -> str:
    """Return an amount in the extended resources of a pool, such as ``4 nvidia.com/mig-1g.10gb``."""
    counts = pool.count_by_unit(amount).items()
    return " + ".join(f"{count * times} {pool.profile.units[unit]}" for unit, count in counts)


def describe_cost(cost: Cost) -> Iterator[str]:
    """Yield three lines: the idle, the expected and the maximum cost, each by hour and by month."""
    for words, spend in (("idle", cost.floor), ("expected", cost.expected), ("at most", cost.ceiling)):
        yield f"{words}: {spend.hour} an hour, {spend.month.in_whole_dollars} a month"
