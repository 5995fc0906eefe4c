"""The ways to buy an instance, in the words of Karpenter and in those of EC2.

Karpenter's capacity type ``reserved`` stands for On-Demand Capacity Reservations and for Capacity Blocks. EC2's usage
class tells a Capacity Block from the rest, and counts an On-Demand Capacity Reservation as on-demand.
"""

from typing import Literal, get_args

Purchase = Literal["reserved", "spot", "on-demand"]
"""How a pool buys: a value of the label ``karpenter.sh/capacity-type``."""
PURCHASE_ORDER: tuple[Purchase, ...] = get_args(Purchase)
"""The order in which Karpenter tries the ways to buy; no setting changes it."""
UsageClass = Literal["on-demand", "spot", "capacity-block"]
"""How an instance counts against service quotas: a value of EC2's ``SupportedUsageClasses``."""
