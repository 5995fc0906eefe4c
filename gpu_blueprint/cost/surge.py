"""Nodes that run beyond every ceiling for a while, because a new node starts before the old node terminates.

Karpenter launches the successor of a drifted or under-used node first, above ``maxGpus`` or ``maxCpus``, where its pods
need one: pods that fit elsewhere, or that may not be evicted, get none. EKS launches nodes first, too, while it updates
a managed node group.
"""

from collections.abc import Sequence

from ..catalog import Instance
from ..config import CpuPool, Pool, StackConfig
from ..config.cluster import SYSTEM_DISK_GIB
from ..config.network import STABLE_ZONES
from .items import price_disk, price_instance
from .money import Usd
from .nodes import price_nodes

_EKS_NODES_A_ZONE = 2
"""EKS updates a managed node group by up to two more nodes in each of its zones (EKS user guide, «Understand each phase
of node updates»)."""


def count_surge(stack: StackConfig, pool: Pool | CpuPool, row: Instance) -> int:
    """Return the nodes of a type that may run beyond a pool's ceiling."""
    if isinstance(pool, Pool) and pool.static_nodes:
        return _EKS_NODES_A_ZONE * len(stack.list_zones(pool))
    if pool.purchase == ["reserved"]:  # a full reservation has no room for a second node
        return 0
    repairing = stack.cluster.node_repair and stack.cluster.has_repair_budgets
    nodes = pool.max_gpus // row.gpu_devices if isinstance(pool, Pool) else pool.max_cpus // row.vcpu
    return stack.find_lifecycle(pool).count_replaced(nodes, repairing=repairing)


def count_system_surge(stack: StackConfig) -> int:
    """Return the system nodes that may run beyond their fixed number."""
    return _EKS_NODES_A_ZONE * min(len(stack.network.zones), STABLE_ZONES)


def price_surge(stack: StackConfig, pool: Pool | CpuPool) -> Usd:
    """Return dollars an hour of the dearest nodes that a pool may run beyond its ceiling, on demand."""
    nodes = price_nodes(stack, pool)
    return _find_dearest([(node.machine + node.disks) * count_surge(stack, pool, node.row) for node in nodes])


def sum_surges(stack: StackConfig) -> Usd:
    """Return dollars an hour of all nodes that the stack may run beyond its ceilings."""
    pools = stack.all_pools
    return sum((price_surge(stack, pool) for pool in pools), start=price_system_surge(stack))


def price_system_surge(stack: StackConfig) -> Usd:
    """Return dollars an hour of the system nodes beyond their fixed number."""
    disks = price_disk(stack.region, gib=SYSTEM_DISK_GIB)
    each = [price_instance(name, stack.region) + disks for name in stack.system_types]
    return _find_dearest(each) * count_system_surge(stack)


def _find_dearest(prices: Sequence[Usd]) -> Usd:
    """Return the highest known price with the names of all unknown prices, any of which may be higher."""
    unknown = frozenset().union(*(price.unknown for price in prices))
    return Usd(max((price.known for price in prices), default=0), unknown)
