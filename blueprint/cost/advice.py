"""Which steady use deserves a commitment, with the arithmetic shown.

Rule: commit to 60 to 70 % of the average use, and only to what runs most of the time, since a Savings Plan is paid in
every hour. It breaks even when what it covers runs for at least the share ``1 - discount`` of the hours.
"""

from dataclasses import dataclass
from typing import Any

from ..catalog.prices import HOURS_A_MONTH, SAVINGS_PLAN_DISCOUNT
from ..config import Pool, StackConfig
from ..config.spending import nodes_of, reserved_gpus, use_of

COMMITTED = (0.6, 0.7)
"""Share of the average that is worth a commitment. Source: common practice of cost teams, which say it of the steady part."""
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
    if pool.says_no_expectation and not pool.reservations:
        return Advice(pool=pool.name, kind="none", text="say expectedHours or expectedUtilization first")
    if "spot" in pool.purchase and not reserved_gpus(stack, pool):
        return Advice(pool=pool.name, kind="none", text="it buys spot first, which no commitment makes cheaper")
    machines = [node.machine.known / node.row.gpu_devices for node in nodes_of(stack, pool) if not node.machine.unknown]
    if not machines:
        return Advice(pool=pool.name, kind="none", text="no price is known of its instance types")
    return _weighed(stack, pool, min(machines))


def _weighed(stack: StackConfig, pool: Pool, price: float) -> Advice:
    average, hours, words = _steady(stack, pool)
    plan = stack.costs.savings_plan
    discount = plan.discount if plan else SAVINGS_PLAN_DISCOUNT
    sum_ = f"{average:.1f} GPUs {words} {hours:.0f} of {HOURS_A_MONTH} hours"
    if hours / HOURS_A_MONTH <= 1 - discount or average < 0.05:
        text = f"{sum_}: a plan at {discount:.0%} off pays from {(1 - discount) * HOURS_A_MONTH:.0f} hours on"
        return Advice(pool=pool.name, kind="none", text=text)
    low, high = (share * average for share in COMMITTED)
    commit = (round(low * price * (1 - discount), 2), round(high * price * (1 - discount), 2))
    gain = price * (hours - HOURS_A_MONTH * (1 - discount))
    saves = (round(low * gain, 2), round(high * gain, 2))
    text = (
        f"{sum_}; 60 to 70 % of that is {low:.1f} to {high:.1f} GPUs at ${price:,.2f}: a Savings Plan of "
        f"${commit[0]:,.2f} to ${commit[1]:,.2f} an hour at {discount:.0%} off saves ${saves[0]:,.0f} to ${saves[1]:,.0f} a month"
    )
    return _reserve(pool, text, low, commit, saves, stack)


def _steady(stack: StackConfig, pool: Pool) -> tuple[float, float, str]:
    """GPUs that run on average at on-demand rates, the hours in which they do, and how to say so."""
    held = reserved_gpus(stack, pool)
    if pool.static_nodes:
        return pool.max_gpus, HOURS_A_MONTH, "run in"
    if held:
        return held, HOURS_A_MONTH, "are reserved and paid in"
    use = use_of(pool)
    return use.average, use.hours, "on average, at work in"


def _reserve(
    pool: Pool, text: str, low: float, commit: tuple[float, float], saves: tuple[float, float], stack: StackConfig
) -> Advice:
    row = stack.instances_of(pool)[0]
    nodes = int(low / row.gpu_devices)
    if nodes and row.family.startswith(SCARCE) and not pool.reservations:
        text += f"; reserve {nodes} × {row.instance_type} to be sure of them, at no discount of its own"
        return Advice(pool=pool.name, kind="reservation", text=text, usd_per_hour=commit, saves_per_month=saves)
    return Advice(pool=pool.name, kind="savings-plan", text=text, usd_per_hour=commit, saves_per_month=saves)
