"""Draw the card of a pool: its name, capacity types, GPUs, grants and servers."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import ceil

from ..explain.pools.cpu_pools import CpuPoolSummary
from ..records import Record
from .gpu_boxes import FREE, MOST_UNITS, GpuBoxes, fill_boxes
from .shapes import NAME, NOTE, TEXT, Sheet
from .view import GrantView, PoolView, ServerView

PADDING = 14
_GAP, _CUT_GAP, _NODE_GAP = 3, 6, 6
"""Pixels between whole GPUs, pixels between GPUs that are cut into units, and additional pixels between nodes."""
_BOX_HEIGHT, _ROW = 18, 24
_NARROW, _WIDE = 18, 38
"""Width of a box in pixels if a GPU has at most four units, and if it has more."""
_MOST_ROWS, _MOST_LINES = 3, 2
_LINE = 18
_SWATCH = 10
_PILL_HEIGHT, _PILL_PADDING, _ARROW = 20, 8, 18


class Grid(Record):
    """The sizes and places of a pool's boxes, each of which shows one or more GPUs."""

    width: int
    """Width of a box in pixels."""
    gap: int
    """Pixels between two boxes."""
    per_row: int
    node: int
    """Boxes that form a node; 1 if nodes are not shown."""

    def find_x(self, column: int) -> int:
        """Return the distance in pixels from the left edge of the first column to that of another."""
        return column * (self.width + self.gap) + (column // self.node) * _NODE_GAP * (self.node > 1)


class Mark(Record):
    """A few words, behind a coloured square if they have a style."""

    text: str
    style: str | None = None


def draw_pool(sheet: Sheet, pool: PoolView, styles: Mapping[str, str], x: float, y: float, width: float) -> int:
    """Draw the card of a GPU pool and return its height."""
    card, inner = len(sheet.shapes), width - 2 * PADDING
    left = x + PADDING
    _draw_head(sheet, (pool.name, pool.purpose, pool.purchase), left, y, inner)
    grid = plan_grid(pool, inner)
    boxes = fill_boxes(pool, styles, grid.per_row * _MOST_ROWS)
    price = _describe_price(pool.usd_per_hour)
    taken = sheet.write(left + inner, y + 41, price, NOTE, inner / 2, anchor="end")
    sheet.write(left, y + 41, describe_gpus(pool, boxes), TEXT, inner - taken - PADDING)
    _draw_boxes(sheet, boxes, grid, left, y + 52, pool.reserved_gpus)
    bottom = 52 + ceil(len(boxes.boxes) / grid.per_row) * _ROW
    bottom += _LINE * _flow(sheet, list_grant_marks(pool, styles), left, y + bottom + 13, inner)
    bottom += _LINE * _flow(sheet, _list_server_marks(pool.servers, styles), left, y + bottom + 13, inner)
    height = bottom + 10
    _put_behind(sheet, card, x, y, width, height)
    return height


def draw_cpu_pool(sheet: Sheet, pool: CpuPoolSummary, x: float, y: float, width: float) -> int:
    """Draw the card of a CPU pool and return its height."""
    card, inner, height = len(sheet.shapes), width - 2 * PADDING, 54
    left = x + PADDING
    _draw_head(sheet, (pool.name, "for pods without a GPU", pool.purchase), left, y, inner)
    price = _describe_price(pool.ceiling_usd_per_hour)
    taken = sheet.write(left + inner, y + 41, price, NOTE, inner / 2, anchor="end")
    facts = f"up to {pool.max_cpus:,} vCPUs, {pool.arch}"
    sheet.write(left, y + 41, facts, TEXT, inner - taken - PADDING)
    _put_behind(sheet, card, x, y, width, height)
    return height


def _put_behind(sheet: Sheet, place: int, x: float, y: float, width: float, height: float) -> None:
    """Draw the background of a card under its content: all shapes of the sheet from position ``place`` on."""
    content = sheet.shapes[place:]
    del sheet.shapes[place:]
    sheet.add_box(x, y, width, height, "card", 8)
    sheet.shapes += content


def draw_note_card(sheet: Sheet, lines: Sequence[str], x: float, y: float, width: float) -> int:
    """Draw a card with lines of text, the first as a heading, and return its height."""
    height = 16 + 19 * len(lines)
    sheet.add_box(x, y, width, height, "card", 8)
    for number, line in enumerate(lines):
        style = TEXT if number else NAME
        sheet.write(x + PADDING, y + 22 + 19 * number, line, style, width - 2 * PADDING)
    return height


def _draw_head(sheet: Sheet, words: tuple[str, str, Sequence[str]], x: float, y: float, width: float) -> None:
    """Draw a pool's name and purpose, and its capacity types at the right edge."""
    name, purpose, purchase = words
    widths = [NOTE.measure(word) + 2 * _PILL_PADDING for word in purchase]
    pills = sum(widths) + _ARROW * (len(widths) - 1)
    room = width - pills - PADDING
    taken = sheet.write(x, y + 22, name, NAME, room)
    if room - taken > 60:
        sheet.write(x + taken + 8, y + 22, purpose, NOTE, room - taken - 8)
    place = x + width - pills
    for number, (word, pill) in enumerate(zip(purchase, widths, strict=True)):
        if number:
            sheet.write(place + _ARROW / 2, y + 22, "→", NOTE, _ARROW, anchor="middle")
            place += _ARROW
        sheet.add_box(place, y + 8, pill, _PILL_HEIGHT, "pill", _PILL_HEIGHT // 2)
        sheet.write(place + pill / 2, y + 22, word, NOTE, pill, anchor="middle")
        place += pill


def _describe_price(usd_per_hour: float | None) -> str:
    return "price unknown" if usd_per_hour is None else f"≤ ${usd_per_hour:,.2f} an hour"


def describe_gpus(pool: PoolView, boxes: GpuBoxes) -> str:
    """Return how many GPUs a pool has and how they are shared, and how many a box shows, if more than one."""
    scale = f", {boxes.gpus_each:,} a box" if boxes.gpus_each > 1 else ""
    reserved = f"; {pool.reserved_gpus:,} reserved (underlined)" if pool.reserved_gpus else ""
    return f"{pool.gpus:,} × {pool.gpu}{scale}, {pool.sharing}{reserved}"


def plan_grid(pool: PoolView, width: float) -> Grid:
    """Return the size of the boxes and their number in a row; a node that is shown is never split over two rows."""
    box = _NARROW if len(pool.slices) <= 4 else _WIDE
    gap = _CUT_GAP if len(pool.slices) > 1 else _GAP
    single = Grid(box, gap, int((width + gap) // (box + gap)), 1)
    nodes = int((width + gap + _NODE_GAP) // (pool.node_gpus * (box + gap) + _NODE_GAP))
    grouped = Grid(box, gap, nodes * pool.node_gpus, pool.node_gpus)
    fits = pool.node_gpus > 1 and nodes and pool.gpus <= grouped.per_row * _MOST_ROWS
    return grouped if fits else single


def _draw_boxes(sheet: Sheet, boxes: GpuBoxes, grid: Grid, x: float, y: float, reserved: int) -> None:
    for number, cells in enumerate(boxes.boxes):
        left, top = x + grid.find_x(number % grid.per_row), y + number // grid.per_row * _ROW
        gap = 1 if 1 < len(cells) <= MOST_UNITS else 0
        place = left
        for cell in cells:
            width = cell.share * (grid.width + gap)
            sheet.add_box(place, top, max(width - gap, 0.5), _BOX_HEIGHT, cell.style, 0 if gap else 2)
            place += width
        if number < reserved / boxes.gpus_each:
            sheet.add_box(left, top + _BOX_HEIGHT + 1, grid.width, 2, "reserved")


def list_grant_marks(pool: PoolView, styles: Mapping[str, str]) -> list[Mark]:
    """Return words for the units of a pool, for each tenant's grant, and for the units without a quota."""
    units = pool.units
    marks = [Mark(f"{' + '.join(_describe_units(pool))}:")]
    marks += [Mark(f"{grant.tenant}: {_describe_counts(grant, units)}", styles[grant.tenant]) for grant in pool.grants]
    if rest := pool.ungranted:
        counts = " + ".join(_count(resource, count, units) for resource, count in rest.items())
        marks.append(Mark(f"{counts} without a quota", FREE))
    return marks


def _describe_units(pool: PoolView) -> Iterator[str]:
    """Yield the number of units of each resource, and the sum of the quotas if it is larger."""
    for resource, count in pool.units.items():
        granted = sum(grant.counts.get(resource, 0) for grant in pool.grants)
        yield f"{count:,} {resource}" + (f" for quotas of {granted:,}" if granted > count else "")


def _describe_counts(grant: GrantView, units: Mapping[str, int]) -> str:
    return " + ".join(_count(resource, count, units) for resource, count in grant.counts.items())


def _count(resource: str, count: int, units: Mapping[str, int]) -> str:
    """Return a count, with the name of its resource if the pool has several resources."""
    return f"{count:,} {resource}" if len(units) > 1 else f"{count:,}"


def _list_server_marks(servers: Iterable[ServerView], styles: Mapping[str, str]) -> list[Mark]:
    marks = []
    for each in servers:
        server = f" ({each.server})" if each.server else ""
        marks.append(Mark(f"runs {each.name}{server}, {describe_replicas(each)}", styles.get(each.tenant)))
    return marks


def describe_replicas(server: ServerView) -> str:
    """Return the replicas of a model or service, such as ``2 to 12 replicas``."""
    return f"{server.min_replicas} to {server.max_replicas} replicas"


def _flow(sheet: Sheet, marks: Sequence[Mark], x: float, y: float, width: float) -> int:
    """Write marks one after another, on at most two lines; return the number of lines."""
    place, line = 0.0, 0
    for number, mark in enumerate(marks):
        indent = _SWATCH + 5 if mark.style else 0
        needed = indent + TEXT.measure(mark.text)
        more = f"and {len(marks) - number} more"
        spare = TEXT.measure(more) + PADDING if number < len(marks) - 1 else 0
        if place and place + needed > width - (spare if line == _MOST_LINES - 1 else 0):
            if line == _MOST_LINES - 1:
                sheet.write(x + place, y + line * _LINE, more, NOTE, width - place)
                return line + 1
            place, line = 0.0, line + 1
        if mark.style:
            sheet.add_box(x + place, y + line * _LINE - _SWATCH, _SWATCH, _SWATCH, mark.style, 2)
        room = width - place - indent - (spare if line == _MOST_LINES - 1 else 0)
        taken = sheet.write(x + place + indent, y + line * _LINE, mark.text, TEXT, room)
        place += indent + taken + PADDING
    return line + 1 if marks else 0
