"""Which steady use deserves a commitment, with the arithmetic shown.

Rule: commit to 60 to 70 % of the average use, and only to what runs most of the time, since a Savings Plan is paid in
every hour. It breaks even when what it covers runs for at least the share ``1 - discount`` of the hours.
"""

from dataclasses import dataclass
from typing import Any

from ..catalog.prices import HOURS_A_MONTH, SAVINGS_PLAN_DISCOUNT
from ..config import Pool, StackConfig
from .pool_cost import Use
from .pools import expected_use, nodes_of, reserved_gpus

COMMITTED = (0.6, 0.7)
"""Share of the average that is worth a commitment: common practice of cost teams, who say it of the steady part of the use."""
SCARCE = ("p4", "p5", "p6")
"""Families that on-demand often cannot give, so that a reservation buys certainty, not a discount."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """What to commit to for one pool; ``kind`` is none, savings-plan or reservation."""

    pool: str
    kind: str
    text: str
    usd_per_hour: tuple[float, float] | None = None
    """Commitment in dollars an hour at the plan's prices, from and to."""
    saves_per_month: tuple[float, float] | None = None

    def as_json(self) -> dict[str, Any]:
        """The advice as a document."""
        return {
            "pool": self.pool,
            "kind": self.kind,
            "text": self.text,
            "commitUsdPerHour": self.usd_per_hour,
            "savesUsdPerMonth": self.saves_per_month,
        }


def advice(stack: StackConfig, pool: Pool) -> Advice:
    """Say which commitment a pool's expected use deserves."""
    steady, other = reserved_gpus(stack, pool)
    machines = [node.machine.known / node.row.gpu_devices for node in nodes_of(stack, pool) if not node.machine.unknown]
    if not machines:
        return _none(pool, "no price is known of its instance types")
    if steady:
        return _weighed(stack, pool, min(machines), steady, HOURS_A_MONTH, "are reserved and paid in")
    if pool.static_nodes and pool.purchase == ["on-demand"]:
        return _weighed(stack, pool, min(machines), pool.max_gpus, HOURS_A_MONTH, "run in")
    if "spot" in pool.purchase:
        return _none(pool, "it buys spot first, which no commitment makes cheaper")
    if pool.purchase == ["reserved"]:
        return _none(pool, "its reservations have a price or an end of their own, which no plan lowers")
    if pool.says_no_expectation:
        return _none(pool, "say expectedHours or expectedUtilization first")
    use = expected_use(stack, pool)
    average = Use(max(use.gpus - other, 0), use.hours).average
    return _weighed(stack, pool, min(machines), average, use.hours, "on average, in")


def measured_advice(stack: StackConfig, pool: Pool, average: float) -> Advice:
    """Say which commitment so many GPUs deserve that were seen to run on demand around the clock."""
    machines = [node.machine.known / node.row.gpu_devices for node in nodes_of(stack, pool) if not node.machine.unknown]
    if not machines:
        return _none(pool, "no price is known of its instance types")
    return _weighed(stack, pool, min(machines), average, HOURS_A_MONTH, "ran on average, in")


def _none(pool: Pool, text: str) -> Advice:
    return Advice(pool=pool.name, kind="none", text=text)


def _weighed(stack: StackConfig, pool: Pool, price: float, average: float, hours: float, words: str) -> Advice:
    """Weigh a plan over the part of the average that no plan covers yet, at work in so many hours."""
    plan = stack.costs.savings_plan
    discount = plan.discount if plan else SAVINGS_PLAN_DISCOUNT
    average *= 1 - (plan.coverage if plan else 0)
    even = (1 - discount) * HOURS_A_MONTH
    sum_ = f"{average:.1f} GPUs{' not covered yet' if plan else ''} {words} {hours:.0f} of {HOURS_A_MONTH} hours"
    if hours <= even or average < 0.05:
        return _none(pool, f"{sum_}: a plan at {discount:.0%} off pays from {even:.0f} hours on")
    low, high = (share * average for share in COMMITTED)
    commit = (round(low * price * (1 - discount), 2), round(high * price * (1 - discount), 2))
    saves = (round(low * price * (hours - even), 2), round(high * price * (hours - even), 2))
    text = (
        f"{sum_}; 60 to 70 % of that is {low:.1f} to {high:.1f} GPUs at ${price:,.2f}: a Savings Plan of "
        f"${commit[0]:,.2f} to ${commit[1]:,.2f} an hour at {discount:.0%} off saves ${saves[0]:,.0f} to ${saves[1]:,.0f} a month"
    )
    if pool.expected_utilization is not None and words.startswith("on average"):
        text += f", if so many GPUs run in every hour; below {even:.0f} hours a month it loses"
    return _reserve(pool, text, low, commit, saves, stack)


def _reserve(
    pool: Pool, text: str, low: float, commit: tuple[float, float], saves: tuple[float, float], stack: StackConfig
) -> Advice:
    row = stack.instances_of(pool)[0]
    nodes = int(low / row.gpu_devices)
    if nodes and row.family.startswith(SCARCE) and not pool.reservations:
        text += f"; reserve {nodes} × {row.instance_type} to be sure of them, at no discount of its own"
        return Advice(pool=pool.name, kind="reservation", text=text, usd_per_hour=commit, saves_per_month=saves)
    return Advice(pool=pool.name, kind="savings-plan", text=text, usd_per_hour=commit, saves_per_month=saves)
