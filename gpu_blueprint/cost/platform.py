"""The hourly cost of everything that is no GPU pool."""

from ..catalog import instance
from ..config import NewVpc, StackConfig
from ..config.cluster import SYSTEM_DISK_GIB
from ..config.monitoring import ALERTMANAGER_GIB, InstallMonitoring
from .items import Item, disk, item, machine
from .money import Cost, Usd
from .pool_cost import Node
from .pools import ON_DEMAND, reserved_capacity, users_of


def platform_items(stack: StackConfig) -> list[Item]:
    """What the platform itself is made of and pays for in every hour, whatever runs."""
    region, nodes = stack.region, stack.cluster.system_nodes
    disks = disk(region, gib=SYSTEM_DISK_GIB)
    each = [machine(name, region) + disks for name in nodes.instance_types]
    unknown = frozenset().union(*(one.unknown for one in each))
    dearest = Usd(max(one.known for one in each), unknown) * nodes.count
    found = [
        item("EKS control plane", "eks-cluster", region),
        # EKS takes the first of the types while it can be had.
        Item(f"system nodes ({nodes.instance_types[0]})", nodes.count, each[0] * nodes.count, dearest),
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
    if isinstance(stack.monitoring, InstallMonitoring):
        gib = stack.monitoring.storage_gib + ALERTMANAGER_GIB
        found.append(Item("volumes of Prometheus and Alertmanager", 1, disk(region, gib=gib)))
    if stack.costs.load_balancers:
        found.append(item("load balancers", "network-load-balancer", region, stack.costs.load_balancers))
    for one in stack.reservations:
        if not users_of(stack, one):
            idle = reserved_capacity(one, Node(instance(one.instance_type), machine(one.instance_type, region), Usd()))
            found.append(Item(f"reservation that no pool uses ({one.id})", one.instances, idle.hour(ON_DEMAND)))
    return found


def platform_cost(stack: StackConfig) -> Cost:
    """What the platform costs without any pool."""
    return Cost.total(one.cost for one in platform_items(stack))
