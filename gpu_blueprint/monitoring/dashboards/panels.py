"""The parts of a dashboard as plain values, and their places on Grafana's grid."""

import string
from collections.abc import Iterator
from typing import Literal, TypedDict, Unpack

from ...records import Record

GRID = 24
"""Columns of Grafana's grid."""
Kind = Literal["number", "lines", "areas", "bars", "ranking", "table"]
"""The look of a panel.

``lines``, ``areas`` (stacked) and ``bars`` (stacked, one for each hour) show values over time; ``number``, ``ranking``
(by size) and ``table`` show the values now.
"""
Thresholds = tuple[tuple[float, str], ...]
"""Rising values, each with the colour from this value on; the colour below the first value is green."""
PERCENT: Thresholds = ((0.8, "orange"), (0.95, "red"))
"""For the used share of a limit."""
ANY: Thresholds = ((1, "red"),)
"""For a number that should be zero."""


class Query(Record):
    """A PromQL expression and the look of its result."""

    expr: str
    legend: str = ""
    """Name of its series, or of its column in a table."""
    unit: str = ""
    """Grafana's name of the unit, where it differs from the panel's."""
    thresholds: Thresholds = ()
    color: str = ""
    """Colour of its line or area, where the colour has a meaning."""


class Panel(Record, kw_only=True):
    """One chart, number or table."""

    title: str
    about: str
    """The content of the panel, and the action to take."""
    kind: Kind
    queries: tuple[Query, ...]
    unit: str = "short"
    """Grafana's name of the unit."""
    width: int = 12
    height: int = 8
    thresholds: Thresholds = ()
    maximum: float | None = None
    """End of the scale; open unless given."""
    no_value: str = ""
    """Text instead of `No data`, where an empty answer is good news."""

    @property
    def queries_by_letter(self) -> dict[str, Query]:
        """The queries by Grafana's reference, from ``A`` on."""
        return dict(zip(string.ascii_uppercase, self.queries, strict=False))


class Look(TypedDict, total=False):
    """The fields of a panel that have defaults."""

    unit: str
    width: int
    height: int
    thresholds: Thresholds
    maximum: float
    no_value: str


def number(title: str, about: str, *queries: Query | str, **look: Unpack[Look]) -> Panel:
    """Return a panel with the values now, half as high as the others."""
    return _build("number", title, about, queries, {"height": 4, **look})


def lines(title: str, about: str, *queries: Query | str, **look: Unpack[Look]) -> Panel:
    """Return a panel with a line over time for each series."""
    return _build("lines", title, about, queries, look)


def areas(title: str, about: str, *queries: Query | str, **look: Unpack[Look]) -> Panel:
    """Return a panel with the series over time, stacked."""
    return _build("areas", title, about, queries, look)


def bars(title: str, about: str, *queries: Query | str, **look: Unpack[Look]) -> Panel:
    """Return a panel with a stack of the series for each hour."""
    return _build("bars", title, about, queries, look)


def ranking(title: str, about: str, *queries: Query | str, **look: Unpack[Look]) -> Panel:
    """Return a panel with the values now, by size."""
    return _build("ranking", title, about, queries, look)


def table(title: str, about: str, *queries: Query | str, **look: Unpack[Look]) -> Panel:
    """Return a panel with a column for each query."""
    return _build("table", title, about, queries, look)


def _build(kind: Kind, title: str, about: str, queries: tuple[Query | str, ...], look: Look) -> Panel:
    made = tuple(Query(query) if isinstance(query, str) else query for query in queries)
    return Panel(title=title, about=about, kind=kind, queries=made, **look)


class Row(Record):
    """Panels under a heading, from left to right."""

    title: str
    panels: tuple[Panel, ...]


class Variable(Record):
    """A choice at the top of a dashboard: the pools or tenants of the stack, unless ``query`` returns the values."""

    name: Literal["pool", "tenant", "namespace", "node", "deployment"]
    query: str = ""
    opens_with_first: bool = False
    """The dashboard opens with the first value instead of all values."""


class Dashboard(Record, kw_only=True):
    """One page of Grafana."""

    uid: str
    title: str
    about: str
    variables: tuple[Variable, ...]
    rows: tuple[Row, ...]

    @property
    def panels(self) -> tuple[Panel, ...]:
        """All panels, in reading order."""
        return tuple(panel for row in self.rows for panel in row.panels)


class Place(Record):
    """The place of a panel or heading on the grid."""

    x: int
    y: int
    width: int
    height: int


def place_panels(dashboard: Dashboard) -> Iterator[tuple[Row | Panel, Place]]:
    """Yield headings and panels with their places.

    As many panels as fit stand side by side; the next line begins below the highest of them.
    """
    below = 0
    for row in dashboard.rows:
        yield row, Place(0, below, GRID, 1)
        x, y, below = 0, below + 1, below + 1
        for panel in row.panels:
            if x + panel.width > GRID:
                x, y = 0, below
            yield panel, Place(x, y, panel.width, panel.height)
            x, below = x + panel.width, max(below, y + panel.height)
