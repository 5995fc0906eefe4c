"""What a pool costs, from its instance types, its ceiling, its reservations and how much it is expected to be used."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ..catalog import Instance, prices
from ..catalog.prices import HOURS_A_MONTH
from .money import Cost, Spend, Usd


@dataclass(frozen=True, slots=True)
class Terms:
    """How capacity is bought: spot at a share of the on-demand price, a share of the rest at a Savings Plan's discount."""

    spot: bool = False
    """Whether spot serves where a pool buys it first."""
    spot_share: Mapping[str, float] = field(default_factory=dict)
    """Instance family → share, where it is not the catalogue's."""
    plan_factor: float = 1.0
    """Price under the Savings Plan beside the on-demand price, over everything that it may cover."""

    def spot_price(self, row: Instance, on_demand: Usd) -> Usd:
        """The assumed spot price of a machine."""
        share = spot_share(row.family, self.spot_share)
        return on_demand * share if share else Usd(unknown=frozenset({f"spot share of {row.family}"}))


def spot_share(family: str, own: Mapping[str, float]) -> float | None:
    """Spot price beside the on-demand price: what the stack says, else what the catalogue assumes."""
    assumed = prices.spot_share(family)
    return own.get(family, assumed.usd if assumed else None)


@dataclass(frozen=True, slots=True)
class Node:
    """One instance type of a pool and the volumes of a node, in dollars an hour."""

    row: Instance
    machine: Usd
    disks: Usd

    def gpu(self, terms: Terms) -> Usd:
        """Dollars an hour of one GPU on such a node."""
        bought = terms.spot_price(self.row, self.machine) if terms.spot else self.machine * terms.plan_factor
        return (bought + self.disks) * (1 / self.row.gpu_devices)


@dataclass(frozen=True, slots=True)
class Reserved:
    """Capacity that is paid for whether it is used or not; of one that pools share, each pool's part."""

    node: Node
    instances: float
    usd_per_hour: float | None = None
    """What one instance costs, where it is not the on-demand price."""
    prepaid: bool = False
    """A Capacity Block, whose price nobody publishes and no Savings Plan lowers."""
    ends: bool = False
    """Whether it has a last day, after which the same GPUs are bought on demand."""

    @property
    def gpus(self) -> float:
        """GPUs in it."""
        return self.instances * self.node.row.gpu_devices

    @property
    def at_on_demand_rates(self) -> bool:
        """Whether a Savings Plan may lower it for as long as the plan runs."""
        return self.usd_per_hour is None and not self.prepaid and not self.ends

    def hour(self, terms: Terms) -> Usd:
        """Dollars an hour of all of it."""
        if self.usd_per_hour is not None:
            return Usd(self.usd_per_hour) * self.instances
        if self.prepaid:
            return Usd(unknown=frozenset({f"Capacity Block of {self.node.row.instance_type}"}))
        return self.node.machine * (self.instances * terms.plan_factor)

    def most(self, terms: Terms) -> Usd:
        """Dollars an hour of the same machines at worst: before its end, or after it."""
        before, after = self.hour(terms), self.node.machine * self.instances
        return (
            before if not self.ends or before.known >= after.known else Usd(after.known, before.unknown | after.unknown)
        )


@dataclass(frozen=True, slots=True)
class Kept:
    """GPUs that run whatever is asked of them: held by services at their fewest replicas, and free on nodes of their own."""

    at_work: float = 0.0
    warm: int = 0
    hour: Usd = field(default_factory=Usd)
    """Dollars an hour of the nodes of those that are free."""

    def free(self, work: float, held: float, most: float) -> Usd:
        """What those that are free cost beside so much work: nothing where a reservation has room, or the pool has none."""
        wanted = max(self.warm - max(held - work, 0), 0)
        return self.hour * (min(wanted, max(most - max(work, held), 0)) / self.warm if self.warm else 0)

    def beyond(self, used: float, held: float, most: float, gpu: Usd) -> Usd:
        """What they cost beside a reservation when nothing else runs."""
        return gpu * max(min(self.at_work, most) - used, 0) + self.free(self.at_work, held, most)


@dataclass(frozen=True, slots=True)
class Use:
    """So many GPUs at work for so many hours a month."""

    gpus: float
    hours: float

    @property
    def average(self) -> float:
        """GPUs at work in the average hour of the month."""
        return self.gpus * self.hours / HOURS_A_MONTH


def pool_cost(
    nodes: Sequence[Node],
    reserved: Sequence[Reserved],
    *,
    most: float,
    open_hours: float,
    expected: Use,
    terms: Terms,
    buys_more: bool = True,
    kept: Kept = Kept(),
) -> Cost:
    """What a pool costs that may run ``most`` GPUs in ``open_hours`` hours a month.

    Karpenter takes the cheapest type that fits, so that is what is expected; at the ceiling it may be the dearest.
    Reservations are paid in every hour; only their disks come and go with the nodes. A pool of several types may leave
    its reservation idle and fill up with others, because its pods want more of something than a reserved node has.
    """
    paid = Spend.always(sum((one.hour(terms) for one in reserved), start=Usd()))
    held = min(sum(one.gpus for one in reserved), most)
    disks = sum((one.node.disks * one.instances for one in reserved), start=Usd())
    cheap, dear = price_of_a_gpu(nodes, terms)
    hours, work = expected.hours, max(expected.gpus, kept.at_work)
    used = min(work, held)
    idle = kept.beyond(min(kept.at_work, held), held, most, cheap)
    busy = cheap * (work - used) + disks * (used / held if held else 0) + kept.free(work, held, most)
    month = paid.month + busy * hours + idle * max(open_hours - hours, 0)
    floor = paid + Spend(idle, idle * open_hours)
    beyond = most if buys_more and len(nodes) > 1 else most - held
    full = dear * beyond + disks
    reservations = sum((one.most(terms) if buys_more else one.hour(terms) for one in reserved), start=Usd())
    ceiling = Spend(reservations + full, reservations * HOURS_A_MONTH + full * open_hours)
    # Nodes of headroom may be larger than those of the work that they make room for.
    return Cost(floor, Spend.on_average(max(month, floor.month, key=lambda usd: usd.known)), ceiling)


def price_of_a_gpu(nodes: Sequence[Node], terms: Terms) -> tuple[Usd, Usd]:
    """Dollars an hour of one GPU on the cheapest and on the dearest type; a type without price may be the dearest."""
    every = [node.gpu(terms) for node in nodes]
    unknown = frozenset().union(*(price.unknown for price in every))
    priced = [price for price in every if price.known]
    cheapest = min(priced, key=lambda price: (len(price.unknown), price.known), default=Usd(unknown=unknown))
    return cheapest, Usd(max((price.known for price in priced), default=0), unknown)
