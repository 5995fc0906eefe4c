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
class Warm:
    """GPUs that are kept free on nodes of their own, and dollars an hour of those nodes."""

    gpus: int = 0
    hour: Usd = field(default_factory=Usd)


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
    warm: Warm = Warm(),
) -> Cost:
    """What a pool costs that may run ``most`` GPUs in ``open_hours`` hours a month, and keeps some of them free.

    Karpenter takes the cheapest type that fits, so that is what is expected; at the ceiling it may be the dearest.
    Reservations are paid in every hour; only their disks come and go with the nodes. A pool of several types may leave
    its reservation idle and fill up with others, because its pods want more of something than a reserved node has.
    """
    paid = Spend.always(sum((one.hour(terms) for one in reserved), start=Usd()))
    held = min(sum(one.gpus for one in reserved), most)
    disks = sum((one.node.disks * one.instances for one in reserved), start=Usd())
    used = min(expected.gpus, held)
    share = used / held if held else 0
    cheap, dear = price_of_a_gpu(nodes, terms)
    month = paid.month + (cheap * (expected.gpus - used) + disks * share) * expected.hours
    # What is free in a reservation costs nothing more; beside work that fills the pool there is no room to keep warm.
    spare = max(min(warm.gpus, most) - held, 0)
    free = min(spare * open_hours, max(most * open_hours - expected.gpus * expected.hours, 0))
    kept_free = warm.hour * (1 / warm.gpus if warm.gpus else 0)
    kept = sum((one.most(terms) if buys_more else one.hour(terms) for one in reserved), start=Usd())
    beyond = most if buys_more and len(nodes) > 1 else most - held
    full = dear * beyond + disks
    ceiling = Spend(kept + full, kept * HOURS_A_MONTH + full * open_hours)
    floor = paid + Spend(kept_free * spare, kept_free * (spare * open_hours))
    return Cost(floor, Spend.on_average(month + kept_free * free), ceiling)


def price_of_a_gpu(nodes: Sequence[Node], terms: Terms) -> tuple[Usd, Usd]:
    """Dollars an hour of one GPU on the cheapest and on the dearest type; a type without price may be the dearest."""
    every = [node.gpu(terms) for node in nodes]
    unknown = frozenset().union(*(price.unknown for price in every))
    priced = [price for price in every if price.known]
    cheapest = min(priced, key=lambda price: (len(price.unknown), price.known), default=Usd(unknown=unknown))
    return cheapest, Usd(max((price.known for price in priced), default=0), unknown)
