"""From prices to what a pool or an item of the platform costs: floor, expected, ceiling; on demand or as it is bought."""

from .items import Item, disk, item, machine
from .money import Cost, Spend, Usd
from .pool import Kept, Node, Reserved, Terms, Use, pool_cost, price_of_a_gpu, spot_share

__all__ = [
    "Cost",
    "Item",
    "Kept",
    "Node",
    "Reserved",
    "Spend",
    "Terms",
    "Usd",
    "Use",
    "disk",
    "item",
    "machine",
    "pool_cost",
    "price_of_a_gpu",
    "spot_share",
]
