"""How capacity is bought: reserved, spot, on-demand; and what is reserved."""

from collections.abc import Iterator, Sequence
from datetime import date
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from ..catalog import instance
from ..errors import Problem
from ..model import Model
from .aws_names import GpuInstanceType, TagKey, TagValue, Zone, resource_id
from .network import repeated
from .scalars import Dollars, day

CapacityType = Literal["reserved", "spot", "on-demand"]
CAPACITY_ORDER: tuple[CapacityType, ...] = ("reserved", "spot", "on-demand")
"""The order in which Karpenter tries them; no setting changes it."""
DIVERSE_ENOUGH = 5
"""Offerings (types × zones) below which Karpenter itself warns that spot may run dry."""

ReservationId: Any = resource_id("cr")
Tags = Annotated[dict[TagKey, TagValue], Field(min_length=1, max_length=20)]


class Reservation(Model):
    """Capacity that is paid for whether it is used or not: an On-Demand Capacity Reservation or a Capacity Block."""

    id: ReservationId
    """Reservation id."""
    instance_type: GpuInstanceType
    """What is reserved."""
    zone: Zone
    """Where."""
    instances: int = Field(ge=1, le=1000)
    """How many."""
    ends: Annotated[date, BeforeValidator(day)] | None = None
    """Last day; a Capacity Block has one, and Karpenter drains its nodes before."""
    capacity_block: bool = False
    """Whether it is a Capacity Block, paid in advance at a price of its own."""
    usd_per_hour: Dollars | None = None
    """What one instance of it costs an hour, in US dollars, where that is not the on-demand price."""
    tags: Tags | None = None
    """Its tags, where pools select by tags."""

    def problems(self) -> Iterator[Problem]:
        if self.capacity_block and self.ends is None:
            yield Problem(
                "todo", ("ends",), "a Capacity Block has a last day: say it, so that its end surprises nobody"
            )
        if self.capacity_block and "capacity-block" not in instance(self.instance_type).usage_classes:
            yield Problem(
                "todo", ("capacityBlock",), f"AWS sells no Capacity Blocks of {self.instance_type}; leave it out"
            )


class ReservationTerm(Model):
    """Which reservations a pool uses."""

    id: ReservationId | None = None
    """One of the stack's reservations."""
    tags: Tags | None = None
    """Or all that carry these tags."""

    def problems(self) -> Iterator[Problem]:
        if (self.id is None) == (self.tags is None):
            yield Problem("todo", (), "name a reservation by id or by tags, and not both")

    def selects(self, reservation: Reservation) -> bool:
        """Whether it means this reservation."""
        if self.tags is None:
            return bool(self.id == reservation.id)
        return self.tags.items() <= (reservation.tags or {}).items()


def purchase_problems(purchase: Sequence[CapacityType], terms: Sequence[ReservationTerm]) -> Iterator[Problem]:
    """Yield what is wrong with an order of purchase, at its field below the pool."""
    yield from repeated(purchase, "purchase")
    if list(purchase) != sorted(purchase, key=CAPACITY_ORDER.index):
        right = ", ".join(sorted(set(purchase), key=CAPACITY_ORDER.index))
        yield Problem(
            "todo", ("purchase",), f"Karpenter always tries reserved, then spot, then on-demand; write [{right}]"
        )
    if terms and "reserved" not in purchase:
        yield Problem(
            "todo",
            ("purchase",),
            "the pool has reservations but never buys reserved: they would be paid and idle; put reserved first",
        )
    if "reserved" in purchase and not terms:
        yield Problem(
            "todo",
            ("reservations",),
            "reserved needs the reservations to use: name them by id or tags, as the stack's reservations declare them",
        )
