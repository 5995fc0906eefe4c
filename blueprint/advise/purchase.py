"""Buying the same GPUs differently: on spot, under a commitment, or no longer in advance."""

from collections.abc import Iterator

from ..catalog import instance, instances
from ..catalog.prices import HOURS_A_MONTH
from ..config import Pool, StackConfig
from ..config.buying import CAPACITY_ORDER, DIVERSE_ENOUGH, Reservation
from ..config.spending import terms_of, users_of
from ..cost import measured_advice
from ..pricing import Usd, machine, spot_share
from .bill import gpus_bought, usd_a_month
from .moves import LEAST_SAVING
from .observed import Observed, PoolUse
from .proposal import Proposal, Set, confidence

OFTEN_TAKEN = 168
"""Hours of a spot node: where EC2 takes each back more than once a week, work is lost more than capacity is gained."""
STEADY_LOW = 0.6
"""What ran in 95 % of the time, beside the average, from which on a commitment is used in every hour: the part that
`cost` would commit to."""


def buy_on_spot(stack: StackConfig, pool: Pool, seen: Observed) -> Iterator[Proposal]:
    """Yield spot before on-demand for a pool whose work tolerates it."""
    use = seen.of(pool)
    rows = [row for row in stack.instances_of(pool) if "spot" in row.usage_classes]
    ran = gpus_bought(use, seen.window, "on-demand")
    tolerant = pool.purpose in ("inference", "batch", "notebook") or pool.checkpointed
    if (
        "spot" in pool.purchase
        or "on-demand" not in pool.purchase
        or pool.static_nodes
        or pool.multi_node
        or not (tolerant and rows and ran)
    ):
        return
    bill, saved = usd_a_month(stack, pool, use, seen.window), _spot_saves(stack, use, seen)
    if bill.unknown or saved.unknown or saved.known < LEAST_SAVING * bill.known:
        return
    zones = stack.zones_of(pool)
    offers = len(rows) * len(zones)
    doubts = [f"only {offers} spot offerings, fewer than {DIVERSE_ENOUGH}, so on-demand will often stand in"] * (
        offers < DIVERSE_ENOUGH
    )
    order = sorted({*pool.purchase, "spot"}, key=CAPACITY_ORDER.index)
    families = {instance(kind).family for kind, how in use.node_hours if how == "on-demand"}
    shares = ", ".join(f"{family} {spot_share(family, stack.costs.spot_share):.0%}" for family in sorted(families))
    yield Proposal(
        kind="purchase",
        subject=pool.name,
        pool=pool.name,
        title=f"purchase [{', '.join(pool.purchase)}] → [{', '.join(order)}]",
        evidence=(
            f"{ran:.1f} GPUs ran on demand on average; {pool.purpose} tolerates that a node goes with two minutes' notice, and on-demand stands behind",
            f"{len(rows)} types × {len(zones)} zones are {offers} spot offerings; from {DIVERSE_ENOUGH} on one of them is nearly always to be had",
            f"spot costs this part of the on-demand price: {shares} (assumed, costs.spotShare); the pool costs ${bill.known:,.0f} a month",
        ),
        saving=round(saved.known, 2),
        confidence=confidence(seen.window, "whether the pods survive a notice of two minutes is not in any metric", *doubts),
        next=(
            "see that pods end well on SIGTERM within two minutes, and that there are two replicas or a checkpoint",
            "change the order for one pool, and watch the alert SpotInterruptionsFrequent for a week",
        ),
        changes=(Set(path=("pools", pool.name, "purchase"), value=order),),
    )  # fmt: skip


def _spot_saves(stack: StackConfig, use: PoolUse, seen: Observed) -> Usd:
    """What all that ran on demand would cost less on spot, if that is always to be had."""
    total = Usd()
    for (kind, how), hours in use.node_hours.items():
        if how == "on-demand":
            row = instance(kind)
            share = spot_share(row.family, stack.costs.spot_share)
            unknown = Usd(unknown=frozenset({f"spot share of {row.family}"}))
            price = machine(kind, stack.region)
            total += price * (hours * (1 - share)) if share else unknown
    return total * (HOURS_A_MONTH / seen.window.hours)


def spread_spot(stack: StackConfig, pool: Pool, seen: Observed) -> Iterator[Proposal]:
    """Yield on-demand behind spot, or more types, for a pool whose spot nodes are taken back often."""
    use = seen.of(pool)
    hours = use.hours_of("spot")
    if not hours or use.interruptions <= hours / OFTEN_TAKEN:
        return
    own = stack.instances_of(pool)
    wider = _more_types(stack, pool)
    value: list[str]
    if "on-demand" not in pool.purchase:
        title, field = "on-demand behind spot", "purchase"
        value = sorted({*pool.purchase, "on-demand"}, key=CAPACITY_ORDER.index)
    elif pool.instance_types and wider:
        title, field = f"more spot markets: {', '.join(wider[:4])}", "instanceTypes"
        value = [*pool.instance_types, *wider[:4]]
    else:
        return
    yield Proposal(
        kind="purchase",
        subject=pool.name,
        pool=pool.name,
        title=title,
        evidence=(
            f"EC2 took {use.interruptions:.0f} spot nodes back in {hours:,.0f} node-hours: one in {hours / use.interruptions:.0f} h; "
            f"more than one in {OFTEN_TAKEN} h counts as often",
            f"it buys {', '.join(row.instance_type for row in own)} in {len(stack.zones_of(pool))} zones",
        ),
        saving=None,
        confidence=confidence(seen.window),
        next=("shorten checkpoints first if jobs lose much", "on-demand is paid at its full price for as long as spot is not to be had"),
        changes=(Set(path=("pools", pool.name, field), value=value),),
    )  # fmt: skip


def _more_types(stack: StackConfig, pool: Pool) -> list[str]:
    """Types of the region with as large a part of the same GPU, which the pool does not name."""
    own = stack.instances_of(pool)
    return [
        row.instance_type for row in instances().values()
        if row.gpu_name == pool.model.name and row.gpu_memory_mib == own[0].gpu_memory_mib and row.fractional == own[0].fractional
        and stack.region in row.regions and row.gpu_devices <= pool.max_gpus and row.arch == own[0].arch and row not in own
        and not row.bare_metal
    ]  # fmt: skip


def commit(stack: StackConfig, pool: Pool, seen: Observed) -> Iterator[Proposal]:
    """Yield a commitment for what runs on demand around the clock, by the arithmetic of `cost`."""
    use = seen.of(pool)
    ran = gpus_bought(use, seen.window, "on-demand")
    if pool.static_nodes and pool.purchase == ["on-demand"]:
        ran += gpus_bought(use, seen.window, "")
    if not ran or use.gpus_low < STEADY_LOW * use.gpus_mean or ran < STEADY_LOW * use.gpus_mean:
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
        confidence=confidence(seen.window, "a commitment lasts a year or more, the window days", at_most="medium"),
        next=(
            f"the saving is the low end; the high one is ${high:,.0f}",
            "buy it in the AWS console under Savings Plans, then say it under costs.savingsPlan; nothing in the stack file buys it",
        ),
    )


def give_back(stack: StackConfig, seen: Observed) -> Iterator[Proposal]:
    """Yield reservations of which some instances never ran."""
    for one in stack.reservations:
        used = seen.reservations.get(one.id, 0.0)
        idle = one.instances - round(used)
        if idle > 0 and not one.capacity_block and users_of(stack, one):
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
        confidence=confidence(seen.window),
        next=(
            "ask whether a run that needs them is planned: what is given back may not be had again",
            f"aws ec2 modify-capacity-reservation --capacity-reservation-id {one.id} --instance-count {left}"
            if left else f"aws ec2 cancel-capacity-reservation --capacity-reservation-id {one.id}, then take it out of the stack file",
        ),
        changes=(Set(path=("reservations", one.id, "instances"), value=left),) if left else (),
    )  # fmt: skip
