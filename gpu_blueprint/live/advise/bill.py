"""What measured use costs, at the catalogue's prices and in the way in which it was bought."""

from ...catalog import Instance, instance
from ...catalog.prices import HOURS_A_MONTH
from ...config import Pool, StackConfig
from ...cost.items import machine
from ...cost.money import Usd
from ...cost.pool_cost import Node, Terms
from ...cost.pools import nodes_of, terms_of
from .observed import PoolUse, Window


def usd_a_month(stack: StackConfig, pool: Pool, use: PoolUse, window: Window) -> Usd:
    """What the nodes that ran cost in a month of such hours; reserved ones at the price that they would have."""
    total = Usd(unknown=frozenset({pool.name} if use.unknown_types else ()))
    for (kind, how), hours in use.node_hours.items():
        row = instance(kind)
        total += _gpu(stack, pool, row, spot=_is_spot(pool, how)) * (row.gpu_devices * hours)
    return total * (HOURS_A_MONTH / window.hours)


def usd_per_gpu_hour(stack: StackConfig, pool: Pool, row: Instance, spot: float) -> Usd:
    """A GPU on nodes of a type, a share of which is bought on spot."""
    as_spot, otherwise = (_gpu(stack, pool, row, spot=kind) for kind in (True, False))
    return as_spot * spot + otherwise * (1 - spot)


def spot_part(pool: Pool, use: PoolUse) -> float:
    """What part of the GPU-hours was bought on spot; before anything ran, what is tried first."""
    hours = {key: instance(key[0]).gpu_devices * count for key, count in use.node_hours.items()}
    whole = sum(hours.values())
    if not whole:
        return float("spot" in pool.purchase)
    return sum(count for (_, how), count in hours.items() if _is_spot(pool, how)) / whole


def gpus_bought(use: PoolUse, window: Window, how: str) -> float:
    """GPUs that ran on average and were bought in one way."""
    hours = sum(instance(kind).gpu_devices * count for (kind, bought), count in use.node_hours.items() if bought == how)
    return hours / window.hours


def _is_spot(pool: Pool, how: str) -> bool:
    """Nodes of a fixed size carry no label of how they were bought, and are all bought alike."""
    return (how or pool.purchase[0]) == "spot"


def _gpu(stack: StackConfig, pool: Pool, row: Instance, *, spot: bool) -> Usd:
    disks = nodes_of(stack, pool)[0].disks
    terms = terms_of(stack, pool)
    node = Node(row, machine(row.instance_type, stack.region), disks)
    return node.gpu(Terms(spot, terms.spot_share, terms.plan_factor))
