"""The GPUs of a pool as boxes, each divided into the units that pods request, in the colours of the grants."""

from collections.abc import Iterator, Mapping
from itertools import chain, repeat

from ..records import Record
from .view import GrantView, PoolView

FREE = "free"
"""Style of units that no tenant is granted."""
MOST_UNITS = 8
"""Most units of one GPU that a box shows one by one."""
_ROUND = (1, 2, 5)
"""First digits of the numbers of GPUs that a box may represent."""


class Cell(Record):
    """A part of a box."""

    share: float
    """Part of the box's width."""
    style: str


class GpuBoxes(Record):
    """The boxes of a pool, from left to right."""

    gpus_each: int
    """GPUs that a box represents; the last box may represent fewer."""
    boxes: tuple[tuple[Cell, ...], ...]


def fill_boxes(pool: PoolView, styles: Mapping[str, str], most: int) -> GpuBoxes:
    """Return at most ``most`` boxes with the pool's grants; ``styles`` has a style for each tenant.

    A box shows the units of its GPU one by one. Boxes of several GPUs, or of more than eight units, show parts.
    """
    each = _choose_gpus_each(pool.gpus, most)
    if each > 1 or len(pool.slices) > MOST_UNITS:
        return GpuBoxes(each, tuple(_fill_parts(pool, styles, each)))
    owners = {resource: _list_owners(pool.grants, resource, styles) for resource in pool.units}
    boxes = (tuple(Cell(unit.share, next(owners[unit.resource])) for unit in pool.slices) for _ in range(pool.gpus))
    return GpuBoxes(1, tuple(boxes))


def _choose_gpus_each(gpus: int, most: int) -> int:
    """Return the smallest round number of GPUs for a box with which all boxes fit."""
    power = 1
    while True:
        for digit in _ROUND:
            if gpus <= digit * power * most:
                return digit * power
        power *= 10


def _list_owners(grants: tuple[GrantView, ...], resource: str, styles: Mapping[str, str]) -> Iterator[str]:
    """Yield the style of each unit of a resource, without end."""
    granted = (repeat(styles[grant.tenant], grant.counts.get(resource, 0)) for grant in grants)
    return chain(chain.from_iterable(granted), repeat(FREE))


def _fill_parts(pool: PoolView, styles: Mapping[str, str], each: int) -> Iterator[tuple[Cell, ...]]:
    """Yield boxes with the tenants' GPUs one after the other, without single units."""
    shares = {unit.resource: unit.share for unit in pool.slices}
    granted = [
        (sum(count * shares[resource] for resource, count in grant.counts.items()), styles[grant.tenant])
        for grant in pool.grants
    ]
    rest = iter([*granted, (float(pool.gpus), FREE)])
    length, style = next(rest)
    for first in range(0, pool.gpus, each):
        room, parts = float(min(each, pool.gpus - first)), dict[str, float]()
        while room > 1e-9:
            taken = min(room, length)
            parts[style] = parts.get(style, 0) + taken
            room, length = room - taken, length - taken
            if length <= 1e-9:
                length, style = next(rest, (float(pool.gpus), FREE))
        yield tuple(Cell(part / each, style) for style, part in parts.items() if part > 1e-9)
