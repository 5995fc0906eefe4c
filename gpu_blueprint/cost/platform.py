"""The cost of the platform itself: everything that belongs to no GPU pool, in every hour."""

from collections.abc import Iterator

from ..catalog import find_instance
from ..config import NewVpc, StackConfig
from ..config.cluster import SYSTEM_DISK_GIB, SystemNodes
from ..config.monitoring import ALERTMANAGER_GIB, InstallMonitoring
from .items import Item, price_disk, price_instance, price_item
from .money import Cost, Usd
from .nodes import ON_DEMAND, Node
from .reservations import find_users, price_reservation
from .storage import list_storage_items


def list_platform_items(stack: StackConfig) -> Iterator[Item]:
    """Yield the items that the platform pays for in every hour, with or without pods."""
    region = stack.region
    if stack.new_cluster:
        yield price_item("EKS control plane", "eks-cluster", region)
        yield _price_system_nodes(stack, stack.new_cluster.system_nodes)
    if isinstance(stack.network, NewVpc):
        yield from _list_network_items(stack.network, region)
    if stack.new_cluster and stack.new_cluster.secrets_key_arn is None:
        yield price_item("KMS key", "kms-key", region)
    if isinstance(stack.monitoring, InstallMonitoring):
        gib = stack.monitoring.storage_gib + ALERTMANAGER_GIB
        yield Item("volumes of Prometheus and Alertmanager", 1, price_disk(region, gib=gib))
    if stack.costs.load_balancers:
        yield price_item("load balancers", "network-load-balancer", region, stack.costs.load_balancers)
    yield from list_storage_items(stack)
    yield from _list_unused_reservations(stack)


def estimate_platform(stack: StackConfig) -> Cost:
    """Estimate the cost of the platform without any pool."""
    return Cost.total(item.cost for item in list_platform_items(stack))


def _price_system_nodes(stack: StackConfig, nodes: SystemNodes) -> Item:
    """Price the system nodes: EKS takes the first type while it is available, and at worst the dearest type."""
    disks = price_disk(stack.region, gib=SYSTEM_DISK_GIB)
    each = [price_instance(name, stack.region) + disks for name in nodes.instance_types]
    unknown = frozenset().union(*(price.unknown for price in each))
    count = stack.system_node_count
    dearest = Usd(max(price.known for price in each), unknown) * count
    return Item(f"system nodes ({nodes.instance_types[0]})", count, each[0] * count, dearest)


def _list_network_items(network: NewVpc, region: str) -> Iterator[Item]:
    if gateways := len(network.nat_zones):
        yield price_item("NAT gateways", "nat-gateway", region, gateways)
        yield price_item("their public addresses", "public-ipv4", region, gateways)
    if interfaces := network.interface_endpoints * len(network.zones):
        yield price_item("interface endpoints, by zone", "interface-endpoint", region, interfaces)


def _list_unused_reservations(stack: StackConfig) -> Iterator[Item]:
    for reservation in stack.reservations:
        if not find_users(stack, reservation):
            price = price_instance(reservation.instance_type, stack.region)
            idle = price_reservation(reservation, Node(find_instance(reservation.instance_type), price, Usd()))
            name = f"reservation that no pool uses ({reservation.id})"
            yield Item(name, reservation.instances, idle.hour(ON_DEMAND))
