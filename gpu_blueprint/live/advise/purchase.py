"""Buying the same GPUs differently: under a commitment, or no longer in advance."""

from collections.abc import Iterator

from ...catalog.prices import HOURS_A_MONTH
from ...config import Pool, StackConfig
from ...config.buying import Reservation
from ...cost import measured_advice
from ...cost.items import machine
from ...cost.money import Usd
from ...cost.pools import terms_of, users_of
from .bill import gpus_bought
from .observed import Observed
from .proposal import Proposal, Set, confidence

STEADY_LOW = 0.6
"""What ran in 95 % of the time, beside the average, from which on a commitment is used in every hour: the part that
`cost` would commit to."""


def commit(stack: StackConfig, pool: Pool, seen: Observed) -> Iterator[Proposal]:
    """Yield a commitment for what runs on demand around the clock, by the arithmetic of `cost`."""
    use = seen.of(pool)
    ran = gpus_bought(use, seen.window, "on-demand")
    if pool.static_nodes and pool.purchase == ["on-demand"]:
        ran += gpus_bought(use, seen.window, "")
    if (
        "spot" in pool.purchase
        or not ran
        or use.gpus_low < STEADY_LOW * use.gpus_mean
        or ran < STEADY_LOW * use.gpus_mean
    ):
        return
    found = measured_advice(stack, pool, ran)
    if found.saves_per_month is None or found.kind == "none":
        return
    low, high = found.saves_per_month
    yield Proposal(
        kind="purchase",
        subject=pool.name,
        pool=pool.name,
        title=f"commit to it: {found.kind}",
        evidence=(
            f"{ran:.1f} of {use.gpus_mean:.1f} GPUs ran on demand on average; in 95 % of the time at least {use.gpus_low:.0f} ran",
            found.text,
        ),
        saving=low,
        confidence=confidence(seen.window, "a commitment lasts a year or more, the window days"),
        next=(
            f"the saving is the low end; the high one is ${high:,.0f}",
            "buy it in the AWS console under Savings Plans, then say it under costs.savingsPlan; nothing in the stack file buys it",
        ),
    )


def give_back(stack: StackConfig, seen: Observed) -> Iterator[Proposal]:
    """Yield reservations of which some instances never ran."""
    for one in stack.reservations:
        users = users_of(stack, one)
        uses = [seen.of(pool) for pool in users]
        ran = any(use.unclear or use.hours_of("reserved") or use.hours_of("") for use in uses)
        if one.id not in seen.reservations and ran:
            continue  # nodes ran, and the label that says of which reservation, or whether of one, is not shown
        idle = one.instances - round(seen.reservations.get(one.id, 0.0))
        if idle > 0 and not one.capacity_block and users:
            yield _smaller(stack, one, idle, seen)


def _smaller(stack: StackConfig, one: Reservation, idle: int, seen: Observed) -> Proposal:
    users = users_of(stack, one)
    price = (
        Usd(one.usd_per_hour)
        if one.usd_per_hour is not None
        else machine(one.instance_type, stack.region) * terms_of(stack, users[0]).plan_factor
    )
    left = one.instances - idle
    return Proposal(
        kind="purchase",
        subject=one.id,
        pool=users[0].name,
        title=f"give back {idle} of {one.instances} × {one.instance_type}",
        evidence=(
            f"at most {left} of {one.instances} instances ran at once, for {', '.join(pool.name for pool in users)}; all are paid in every hour",
            f"{idle} × {price}/h × {HOURS_A_MONTH} h = {price * idle * HOURS_A_MONTH} a month",
        ),
        saving=None if price.unknown else round(price.known * idle * HOURS_A_MONTH, 2),
        confidence=confidence(seen.window, "reserved is what must be there when it is wanted, which a window does not show"),
        next=(
            "ask whether a run that needs them is planned: what is given back may not be had again",
            f"aws ec2 modify-capacity-reservation --capacity-reservation-id {one.id} --instance-count {left}"
            if left else f"aws ec2 cancel-capacity-reservation --capacity-reservation-id {one.id}, then take it out of the stack file",
        ),
        changes=(Set(path=("reservations", one.id, "instances"), value=left),) if left else (),
    )  # fmt: skip
