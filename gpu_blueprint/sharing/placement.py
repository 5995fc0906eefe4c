"""Which MIG layouts a GPU can hold: legality is placement, not the sum of slices.

A layout is legal when its compute slices fit, at most one instance holds extra media engines, and every instance
can be given a start that its profile allows without two covering the same memory slice.
"""

from collections.abc import Iterator, Mapping
from functools import cache

from ..catalog import MigProfile, MigTable

Layout = Mapping[str, int]
"""How many of each profile one GPU is cut into."""


def can_place(table: MigTable, layout: Layout) -> bool:
    """Whether one GPU can hold the layout; every name must be a profile of the table."""
    rows = [(table.profiles[name], count) for name, count in layout.items()]
    if sum(p.compute_slices * count for p, count in rows) > table.compute_slices:
        return False
    if sum(count for p, count in rows if p.media_engines) > 1:
        return False
    profiles = [p for p, count in rows for _ in range(count)]
    return _fits(sorted(profiles, key=lambda p: (len(p.starts), p.name)), 0)


def _fits(profiles: list[MigProfile], taken: int) -> bool:
    """Place the first profile at each free start (``taken`` is a bit mask of memory slices), then the rest."""
    if not profiles:
        return True
    first, rest = profiles[0], profiles[1:]
    width = (1 << first.memory_slices) - 1
    return any(not taken & (width << start) and _fits(rest, taken | width << start) for start in first.starts)


@cache
def legal_layouts(table: MigTable) -> tuple[Layout, ...]:
    """Every legal layout with at least one instance, of the profiles without engine variants (``+me``, ``+gfx``, ``-me``).

    Each names its largest profile first.
    """
    plain = [p.name for p in reversed(table.rows) if not p.variant]
    return tuple(layout for layout in _grow(table, plain, {}) if layout)


def _grow(table: MigTable, names: list[str], layout: dict[str, int]) -> Iterator[Layout]:
    if not names:
        yield layout
        return
    for count in range(table.most(table.profiles[names[0]]) + 1):
        grown = {**layout, names[0]: count} if count else layout
        if not can_place(table, grown):
            return
        yield from _grow(table, names[1:], grown)


@cache
def maximal_layouts(table: MigTable) -> tuple[Layout, ...]:
    """The legal layouts to which no further instance can be added, those with the largest profiles first."""
    plain = [p.name for p in table.rows if not p.variant]
    return tuple(
        layout
        for layout in reversed(legal_layouts(table))
        if not any(can_place(table, {**layout, name: layout.get(name, 0) + 1}) for name in plain)
    )


def nearest_layouts(table: MigTable, wanted: Layout, limit: int = 3) -> tuple[Layout, ...]:
    """The legal layouts that change the fewest instances of the wanted one; of equals those that use more of the GPU."""

    def distance(layout: Layout) -> tuple[int, int]:
        changed = sum(abs(wanted.get(name, 0) - layout.get(name, 0)) for name in {*wanted, *layout})
        return changed, -sum(table.profiles[name].memory_slices * count for name, count in layout.items())

    chosen: list[Layout] = []
    for layout in sorted(legal_layouts(table), key=distance):
        if not any(_contains(other, layout) for other in chosen):
            chosen.append(layout)
    return tuple(chosen[:limit])


def leftover(table: MigTable, layout: Layout) -> tuple[Layout, ...]:
    """What more a legal layout leaves room for: the largest additions of plain profiles, none containing another."""
    room = [
        addition
        for addition in reversed(legal_layouts(table))
        if can_place(table, {name: layout.get(name, 0) + addition.get(name, 0) for name in {**layout, **addition}})
    ]
    return tuple(
        addition for addition in room if not any(_contains(other, addition) for other in room if other != addition)
    )


def _contains(larger: Layout, smaller: Layout) -> bool:
    return all(larger.get(name, 0) >= count for name, count in smaller.items())


def describe(layout: Layout) -> str:
    """Write a layout as people do: ``2 × 1g.10gb + 1 × 3g.40gb``."""
    return " + ".join(f"{count} × {name}" for name, count in layout.items()) or "nothing"


def refusal(table: MigTable, layout: Layout) -> str:
    """Say why a layout of known profiles is illegal, with the arithmetic; empty when it is legal."""
    if can_place(table, layout):
        return ""
    rows = [(table.profiles[name], count) for name, count in layout.items()]
    compute = sum(p.compute_slices * n for p, n in rows)
    memory = sum(p.memory_slices * n for p, n in rows)
    media = sum(n for p, n in rows if p.media_engines)
    sums = f"{compute} of {table.compute_slices} compute slices, {memory} of {table.memory_slices} memory slices"
    if media > 1:
        why = f"{media} instances want the extra media engines that one GPU has once"
    elif compute > table.compute_slices or memory > table.memory_slices:
        why = f"it takes {sums}"
    else:
        why = f"the sums fit ({sums}) but no placement does"
    plain: dict[str, int] = {}
    for p, count in rows:
        plain[p.plain] = plain.get(p.plain, 0) + count
    return f"{why}; nearest legal: {', '.join(describe(near) for near in nearest_layouts(table, plain))}"
