"""What a dashboard is made of, as plain values, and where each panel stands."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

GRID = 24
"""Columns of Grafana's grid."""
Kind = Literal["number", "lines", "areas", "bars", "ranking", "table"]
"""Values now; over time as lines, stacked areas or a stacked bar for each hour; now, by size; now, in columns."""
Steps = tuple[tuple[float, str], ...]
"""Value → colour from there on, rising; what lies below the first is green."""
PERCENT: Steps = ((0.8, "orange"), (0.95, "red"))
"""Of something that runs out."""
ANY: Steps = ((1, "red"),)
"""Of something that should not be there at all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """One PromQL expression; ``legend`` names its series, or its column in a table."""

    expr: str
    legend: str = ""
    unit: str = ""
    """Of this query alone, where it differs from the panel's."""
    steps: Steps = ()
    color: str = ""
    """Of its line or area, where it means something."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """Something to look at: what it shows, and what to do with it."""

    title: str
    about: str
    kind: Kind
    queries: tuple[Query, ...]
    unit: str = "short"
    """Grafana's name of it."""
    width: int = 12
    height: int = 8
    steps: Steps = ()
    most: float | None = None
    """The end of the scale, where it has one."""
    nothing: str = ""
    """What stands there instead of `No data`, where an empty answer is a good one."""


@dataclass(frozen=True, slots=True)
class Row:
    """Panels under a heading, from left to right."""

    title: str
    panels: tuple[Panel, ...]


@dataclass(frozen=True, slots=True)
class Variable:
    """What a reader chooses at the top; the pools or tenants of the stack file unless ``query`` asks for its values."""

    name: Literal["pool", "tenant", "namespace", "node"]
    query: str = ""
    starts_with_one: bool = False
    """Whether a page opens with the first of them instead of all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dashboard:
    """One page."""

    uid: str
    title: str
    about: str
    variables: tuple[Variable, ...]
    rows: tuple[Row, ...]

    @property
    def panels(self) -> tuple[Panel, ...]:
        """All panels, in the order in which they are read."""
        return tuple(panel for row in self.rows for panel in row.panels)


@dataclass(frozen=True, slots=True)
class Place:
    """Where something stands on the grid."""

    x: int
    y: int
    width: int
    height: int


def placed(dashboard: Dashboard) -> Iterator[tuple[Row | Panel, Place]]:
    """Yield headings and panels with their places: as many side by side as fit, then below the highest of them."""
    below = 0
    for row in dashboard.rows:
        yield row, Place(0, below, GRID, 1)
        x, y, below = 0, below + 1, below + 1
        for panel in row.panels:
            if x + panel.width > GRID:
                x, y = 0, below
            yield panel, Place(x, y, panel.width, panel.height)
            x, below = x + panel.width, max(below, y + panel.height)
