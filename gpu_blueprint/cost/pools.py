"""What a stack costs, as far as its file and the catalogue tell, and whether that is within its bounds."""

from collections.abc import Iterator
from math import ceil

from ..catalog import BOTTLEROCKET, Instance
from ..catalog.prices import HOURS_A_MONTH
from ..config.buying import Reservation
from ..config.nodes import BOTTLEROCKET_OS_GIB, FAST_VOLUME
from ..config.pools import Pool
from ..config.stack import StackConfig
from ..config.tenants import GpuAmount
from ..sharing import Mig
from .items import disk, machine
from .money import Cost, Spend, Usd
from .pool_cost import Kept, Node, Reserved, Terms, Use, pool_cost, price_of_a_gpu

ON_DEMAND = Terms()
"""Everything at the list price: what a pool can cost when spot runs dry."""


def terms_of(stack: StackConfig, pool: Pool) -> Terms:
    """How a pool buys: spot while there is any, the account's Savings Plan on the rest."""
    plan = stack.costs.savings_plan
    return Terms("spot" in pool.purchase, stack.costs.spot_share, plan.factor if plan else 1.0)


def nodes_of(stack: StackConfig, pool: Pool) -> list[Node]:
    """The nodes that a pool may launch, with their prices."""
    on_nvme = stack.keeps_images_on_nvme(pool)
    disks = disk(stack.region, gib=pool.disk.size_gib, **({} if on_nvme else FAST_VOLUME))
    if pool.ami.row is BOTTLEROCKET:
        disks += disk(stack.region, gib=BOTTLEROCKET_OS_GIB)
    return [Node(row, machine(row.instance_type, stack.region), disks) for row in stack.instances_of(pool)]


def cost_of(stack: StackConfig, pool: Pool, terms: Terms) -> Cost:
    """What a pool costs; of a reservation that several pools use, the part that is its ceiling's."""
    nodes = nodes_of(stack, pool)
    if pool.static_nodes:
        cheap, dear = (Spend.always(price * pool.max_gpus) for price in price_of_a_gpu(nodes, terms))
        return Cost(cheap, cheap, dear)
    return pool_cost(
        nodes, list(_reserved(stack, pool, nodes)), most=_most(stack, pool), open_hours=_longest(pool),
        expected=expected_use(stack, pool), terms=terms, buys_more=pool.purchase != ["reserved"], kept=kept(stack, pool, terms),
    )  # fmt: skip


def _most(stack: StackConfig, pool: Pool) -> float:
    """GPUs that can run: the ceiling in whole nodes, or what is reserved where nothing else is bought."""
    if pool.purchase != ["reserved"]:
        return usable(stack, pool)
    return min(usable(stack, pool), sum(one.gpus for one in _reserved(stack, pool, nodes_of(stack, pool))))


def _longest(pool: Pool) -> float:
    """Hours a month in which nodes may run: what runs when a training pool closes goes on."""
    return HOURS_A_MONTH if pool.holds_jobs else pool.hours_per_month


def usable(stack: StackConfig, pool: Pool) -> int:
    """GPUs of the ceiling that whole nodes can hold."""
    sizes = {row.gpu_devices for row in stack.instances_of(pool)}
    return pool.max_gpus - pool.max_gpus % min(sizes) if len(sizes) == 1 else pool.max_gpus


def shares_of_a_gpu(pool: Pool) -> dict[str, float]:
    """What part of one GPU one unit of a pool is: instances of several MIG profiles count by their compute slices."""
    per_gpu = {unit: pool.profile.per_device[name] for unit, name in pool.profile.units.items()}
    table = pool.model.mig
    if len(per_gpu) == 1 or table is None or not isinstance(pool.sharing, Mig):
        return {unit: 1 / (count * len(per_gpu)) for unit, count in per_gpu.items()}
    slices = {unit: table.profiles[unit].compute_slices for unit in per_gpu}
    whole = sum(slices[unit] * count for unit, count in per_gpu.items())
    return {unit: slices[unit] / whole for unit in per_gpu}


def expected_use(stack: StackConfig, pool: Pool) -> Use:
    """What a pool is expected to use of what can run; all of it in all its hours, unless it says less."""
    share = 1 if pool.expected_utilization is None else pool.expected_utilization
    hours = pool.hours_per_month if pool.expected_hours is None else pool.expected_hours
    return Use(min(pool.max_gpus * share, _most(stack, pool)), hours)


def gpus_of(pool: Pool, grant: GpuAmount) -> float:
    """How many GPUs' worth of a pool a grant is."""
    shares = shares_of_a_gpu(pool)
    return sum(shares.get(unit, 0) * count for unit, count in pool.by_unit(grant).items())


def kept(stack: StackConfig, pool: Pool, terms: Terms) -> Kept:
    """What runs whatever is asked of it: the fewest replicas of services, and headroom on the cheapest nodes that hold it."""
    services = [one for one in stack.services if one.pool == pool.name]
    at_work = sum(one.replicas.min * gpus_of(pool, one.gpus) for one in services)
    found = [Kept(at_work)] if pool.headroom is None else []
    for node in nodes_of(stack, pool):
        each = placeholders_on(pool, node.row)
        if each and pool.headroom:
            gpus = ceil(pool.headroom.pods / each) * node.row.gpu_devices
            found.append(Kept(at_work, gpus, node.gpu(terms) * gpus))
    return min(found, key=lambda one: (len(one.hour.unknown), one.hour.known), default=Kept(at_work))


def placeholders_on(pool: Pool, row: Instance) -> int:
    """How many placeholders of a pool's headroom a node holds."""
    if pool.headroom is None:
        return 0
    handed_out, units = pool.profile.per_node(row), pool.profile.units
    asked = pool.by_unit(pool.headroom.gpus)
    by_gpu = [handed_out[units[unit]] // count for unit, count in asked.items() if count and unit in units]
    return min([*by_gpu, pool.headroom.fit_beside_gpus(row)], default=0)


def _reserved(stack: StackConfig, pool: Pool, nodes: list[Node]) -> Iterator[Reserved]:
    by_type = {node.row.instance_type: node for node in nodes}
    for one in stack.reservations:
        users = users_of(stack, one)
        if any(user is pool for user in users) and one.instance_type in by_type:
            part = pool.max_gpus / sum(user.max_gpus for user in users)
            yield reserved_capacity(one, by_type[one.instance_type], part)


def reserved_gpus(stack: StackConfig, pool: Pool) -> tuple[float, float]:
    """GPUs of a pool's reservations: at on-demand rates for good, and at prices or with ends of their own."""
    found = list(_reserved(stack, pool, nodes_of(stack, pool)))
    steady = sum(one.gpus for one in found if one.at_on_demand_rates)
    return steady, sum(one.gpus for one in found) - steady


def reserved_gpu(stack: StackConfig, pool: Pool, node: Node, terms: Terms) -> Usd:
    """Dollars an hour of a GPU of a type on its pool's reservations, as they are paid; at list price where none is of the type."""
    found = list(_reserved(stack, pool, [node]))
    if not found:
        return node.gpu(terms)
    paid = sum((one.hour(terms) for one in found), start=Usd())
    return paid * (1 / sum(one.gpus for one in found)) + node.disks * (1 / node.row.gpu_devices)


def users_of(stack: StackConfig, reservation: Reservation) -> list[Pool]:
    """The pools that use a reservation."""
    return [pool for pool in stack.pools if any(term.selects(reservation) for term in pool.reservations)]


def reserved_capacity(one: Reservation, node: Node, part: float = 1) -> Reserved:
    """Price a reservation, or a part of it, on one of its nodes."""
    return Reserved(node, one.instances * part, one.usd_per_hour, one.capacity_block, one.ends is not None)
