"""Spot for pools whose work tolerates it, and a way out where spot is taken back often."""

from collections.abc import Iterator

from ...catalog import Instance, instance, instances
from ...catalog.prices import HOURS_A_MONTH
from ...config import Pool, StackConfig
from ...config.buying import CAPACITY_ORDER, DIVERSE_ENOUGH
from ...cost.items import machine
from ...cost.money import Usd
from ...cost.pool_cost import spot_share
from .bill import gpus_bought, usd_a_month
from .moves import LEAST_SAVING
from .observed import Observed, PoolUse
from .proposal import Proposal, Set, confidence

OFTEN_TAKEN = 168
"""Hours of a spot node: where EC2 takes each back more than once a week, work is lost more than capacity is gained."""
TOLERANT = ("inference", "batch", "notebook")
"""Purposes whose pods can start again elsewhere; training can where it is checkpointed."""


def buy_on_spot(stack: StackConfig, pool: Pool, seen: Observed) -> Iterator[Proposal]:
    """Yield spot before on-demand for a pool whose work tolerates it."""
    use = seen.of(pool)
    rows = [row for row in stack.instances_of(pool) if "spot" in row.usage_classes]
    if not rows or not _may_have_spot(pool) or not gpus_bought(use, seen.window, "on-demand"):
        return
    bill, saved = usd_a_month(stack, pool, use, seen.window), _spot_saves(stack, use, seen)
    if bill.unknown or saved.unknown or saved.known < LEAST_SAVING * bill.known:
        return
    order = sorted({*pool.purchase, "spot"}, key=CAPACITY_ORDER.index)
    offers = len(rows) * len(stack.zones_of(pool))
    doubts = [f"only {offers} spot offerings, fewer than {DIVERSE_ENOUGH}, so on-demand will often stand in"]
    yield Proposal(
        kind="purchase",
        subject=pool.name,
        pool=pool.name,
        title=f"purchase [{', '.join(pool.purchase)}] → [{', '.join(order)}]",
        evidence=tuple(_spot_evidence(stack, pool, seen, rows, bill)),
        saving=round(saved.known, 2),
        confidence=confidence(
            seen.window,
            "whether the pods survive a notice of two minutes is not in any metric",
            *doubts * (offers < DIVERSE_ENOUGH),
        ),
        next=(
            "see that pods end well on SIGTERM within two minutes, and that there are two replicas or a checkpoint",
            "change it for one pool, and watch the alert SpotInterruptionsFrequent for a week",
        ),
        changes=(Set(path=("pools", pool.name, "purchase"), value=order),),
    )


def _may_have_spot(pool: Pool) -> bool:
    fixed = pool.static_nodes or pool.multi_node
    tolerant = pool.purpose in TOLERANT or pool.checkpointed
    return tolerant and not fixed and "on-demand" in pool.purchase and "spot" not in pool.purchase


def _spot_evidence(stack: StackConfig, pool: Pool, seen: Observed, rows: list[Instance], bill: Usd) -> Iterator[str]:
    use = seen.of(pool)
    zones = stack.zones_of(pool)
    families = {instance(kind).family for kind, how in use.node_hours if how == "on-demand"}
    shares = ", ".join(f"{family} {spot_share(family, stack.costs.spot_share):.0%}" for family in sorted(families))
    yield (
        f"{gpus_bought(use, seen.window, 'on-demand'):.1f} GPUs ran on demand on average; {pool.purpose} tolerates that a node goes "
        "with two minutes' notice, and on-demand stands behind"
    )
    yield (
        f"{len(rows)} types × {len(zones)} zones are {len(rows) * len(zones)} spot offerings; from {DIVERSE_ENOUGH} on one of "
        "them is nearly always to be had"
    )
    yield (
        f"spot costs this part of the on-demand price: {shares} (assumed; costs.spotShare replaces it); "
        f"the pool costs ${bill.known:,.0f} a month"
    )


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
