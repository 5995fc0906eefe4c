"""The values of a page: a caller states what the page says, and ``document_html.py`` writes it.

Every text is plain text, and the writer escapes it. Only a ``Drawing`` carries markup, which ``picture.py`` wrote.
"""

from collections.abc import Sequence
from datetime import date
from typing import Literal

from ..records import Record, field

Level = Literal["error", "warning", "note", "good"]
Row = tuple[str, ...]


class Text(Record):
    """A paragraph. Words between backticks are shown as code."""

    text: str


class Method(Record):
    """A line below numbers: how they were computed, and what is in doubt."""

    text: str


class Figures(Record):
    """The few numbers that a reader looks for first, each as name, value and a line about it."""

    figures: tuple[tuple[str, str, str], ...]


class Item(Record):
    """A line of a list; the level stands before it as a word."""

    text: str
    details: tuple[str, ...] = ()
    level: Level | None = None
    place: str = ""
    """File and line, such as ``stacks/Pulumi.prod.yaml:34``."""


class Items(Record):
    """A list."""

    items: tuple[Item, ...]


class Commands(Record):
    """Commands to copy, a line each."""

    lines: tuple[str, ...]


class Table(Record, kw_only=True):
    """A table; the first cell of a row names the row. A cell may have several lines."""

    caption: str
    headers: Row
    rows: Sequence[Row]
    sums: Sequence[Row] = ()
    """Rows with sums, at the end."""
    numeric: frozenset[int] = field(default_factory=frozenset)
    """Numbers of the columns that stand at the right edge, from 0."""


class Bar(Record):
    """A row of bars: a value for each series, None if it is not known, and the text that says it."""

    name: str
    values: tuple[float | None, ...]
    texts: tuple[str, ...]


class Bars(Record, kw_only=True):
    """Bars on one scale from zero. Each row has at most three series, drawn over each other, the first one on top.

    A series has its own height besides its colour, and each value also stands as text in its row.
    """

    caption: str
    named: str
    """The heading of the column with the names of the rows, such as ``pool``."""
    series: tuple[str, ...]
    bars: Sequence[Bar]


class Drawing(Record):
    """Markup of an SVG that ``write_svg`` made, and one for narrow screens; an empty one is left out."""

    svg: str
    narrow: str = ""


class Section(Record):
    """A heading and what stands below it; a section in a section has the next smaller heading."""

    title: str
    blocks: "tuple[Block, ...]"


Block = Text | Method | Figures | Items | Commands | Table | Bars | Drawing | Section


class Document(Record, kw_only=True):
    """A page. The same values give the same bytes."""

    title: str
    lead: str
    """A sentence below the title."""
    facts: tuple[tuple[str, str], ...] = ()
    """Names and values below the lead, such as ``Region`` and ``us-east-1``."""
    sections: tuple[Section, ...]
    made: date
    """The only place of a date that changes from day to day."""
    source: str
    """What made the page, such as a command; it stands in the last line."""
