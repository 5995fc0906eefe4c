"""What a stack costs, as far as its file and the catalogue tell, and whether that is within its bounds."""

from collections.abc import Iterator

from ..catalog import BOTTLEROCKET, instance
from ..errors import Problem
from ..pricing import Cost, Item, Node, Reserved, Terms, Usd, Use, disk, item, machine, pool_cost
from ..sharing import Mig
from .buying import Reservation
from .cluster import SYSTEM_DISK_GIB
from .network import NewVpc
from .nodes import BOTTLEROCKET_OS_GIB, FAST_VOLUME
from .pools import Pool
from .stack import StackConfig

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
    """What a pool costs; a reservation that several pools use is counted with the first."""
    nodes = nodes_of(stack, pool)
    if pool.static_nodes:
        dearest = max(nodes, key=lambda node: node.machine.known)
        return Cost.fixed(dearest.gpu(terms) * pool.max_gpus)
    reserved = list(_reserved(stack, pool, nodes))
    others = pool.purchase != ["reserved"]
    held = sum(one.gpus for one in reserved)
    most = usable(stack, pool) if others else min(usable(stack, pool), held)
    use = use_of(pool)
    expected = Use(min(use.gpus, most), use.hours)
    return pool_cost(nodes, reserved, most=most, open_hours=pool.hours_per_month, expected=expected, terms=terms)


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


def use_of(pool: Pool) -> Use:
    """What a pool is expected to use; its whole ceiling in all its hours, unless it says less."""
    if pool.expected_hours is not None:
        return Use(pool.max_gpus, pool.expected_hours)
    share = 1 if pool.expected_utilization is None else pool.expected_utilization
    return Use(pool.max_gpus * share, pool.hours_per_month)


def _reserved(stack: StackConfig, pool: Pool, nodes: list[Node]) -> Iterator[Reserved]:
    by_type = {node.row.instance_type: node for node in nodes}
    for one in stack.reservations:
        users = users_of(stack, one)
        if users and users[0] is pool and one.instance_type in by_type:
            yield _paid(one, by_type[one.instance_type])


def reserved_gpus(stack: StackConfig, pool: Pool) -> int:
    """GPUs of the reservations that are counted with a pool and billed at on-demand rates."""
    return sum(one.gpus for one in _reserved(stack, pool, nodes_of(stack, pool)) if not one.prepaid)


def users_of(stack: StackConfig, reservation: Reservation) -> list[Pool]:
    """The pools that use a reservation."""
    return [pool for pool in stack.pools if any(term.selects(reservation) for term in pool.reservations)]


def _paid(one: Reservation, node: Node) -> Reserved:
    return Reserved(node, one.instances, one.usd_per_hour, one.capacity_block)


def platform_items(stack: StackConfig) -> list[Item]:
    """What the platform itself is made of and pays for in every hour, whatever runs."""
    region, nodes = stack.region, stack.cluster.system_nodes
    node = machine(nodes.instance_types[0], region) + disk(region, gib=SYSTEM_DISK_GIB)
    found = [
        item("EKS control plane", "eks-cluster", region),
        Item(f"system nodes ({nodes.instance_types[0]})", nodes.count, node * nodes.count),
    ]
    if isinstance(stack.network, NewVpc):
        gateways = 1 if stack.network.nat == "single" else len(stack.network.zones)
        found += [
            item("NAT gateways", "nat-gateway", region, gateways),
            item("their public addresses", "public-ipv4", region, gateways),
        ]
        if interfaces := stack.network.interface_endpoints * len(stack.network.zones):
            found.append(item("interface endpoints, by zone", "interface-endpoint", region, interfaces))
    if stack.cluster.secrets_key_arn is None:
        found.append(item("KMS key", "kms-key", region))
    if stack.costs.load_balancers:
        found.append(item("load balancers", "network-load-balancer", region, stack.costs.load_balancers))
    for one in stack.reservations:
        if not users_of(stack, one):
            idle = _paid(one, Node(instance(one.instance_type), machine(one.instance_type, region), Usd()))
            found.append(Item(f"reservation that no pool uses ({one.id})", one.instances, idle.hour(ON_DEMAND)))
    return found


def platform_cost(stack: StackConfig) -> Cost:
    """What the platform costs without any pool."""
    return Cost.fixed(sum((one.hour for one in platform_items(stack)), start=Usd()))


def spending_problems(stack: StackConfig) -> Iterator[Problem]:
    """Yield what the stack can cost above its bounds; the stack must be without other problems."""
    yield from _above_hourly_ceiling(stack)
    yield from _above_monthly_budget(stack)


def _above_hourly_ceiling(stack: StackConfig) -> Iterator[Problem]:
    allowed = stack.hourly_ceiling
    pools = {pool.name: cost_of(stack, pool, ON_DEMAND).ceiling.hour for pool in stack.pools}
    whole = sum(pools.values(), start=platform_cost(stack).ceiling.hour)
    if allowed is not None and whole.known > allowed:
        text = f"with every limit reached the stack costs {whole} an hour on demand, {_more(whole.known - allowed)} than this"
        yield Problem(("hourlyCeiling",), f"{text}; {_blame(pools)}: lower its maxGpus, or allow more")


def _above_monthly_budget(stack: StackConfig) -> Iterator[Problem]:
    allowed = stack.monthly_budget
    pools = {pool.name: cost_of(stack, pool, terms_of(stack, pool)).expected.month for pool in stack.pools}
    whole = sum(pools.values(), start=platform_cost(stack).expected.month)
    if allowed is not None and whole.known > allowed:
        silent = [name for name, pool in stack.pools_by_name.items() if pool.says_no_expectation]
        remedy = f" ({', '.join(silent)}: without expectedHours or expectedUtilization always at the ceiling)" * bool(
            silent
        )
        text = f"the stack is expected to cost {whole} a month, {_more(whole.known - allowed)} than this"
        yield Problem(
            ("monthlyBudget",), f"{text}; {_blame(pools)}: lower what it may or should use{remedy}, or allow more"
        )


def _more(usd: float) -> str:
    return f"{Usd(usd)} more"


def _blame(pools: dict[str, Usd]) -> str:
    name = max(pools, key=lambda pool: pools[pool].known)
    return f"most of it by pool {name} ({pools[name]})"


def spending_warnings(stack: StackConfig) -> Iterator[Problem]:
    """Yield bounds that hold only as far as prices are known."""
    ceilings = [cost_of(stack, pool, ON_DEMAND).ceiling for pool in stack.pools]
    whole = sum(ceilings, start=platform_cost(stack).ceiling)
    if stack.hourly_ceiling is not None and whole.hour.unknown:
        missing = ", ".join(sorted(whole.hour.unknown))
        yield Problem(
            ("hourlyCeiling",), f"no price is known of {missing}, so the bound was held against the rest", True
        )
