"""A table of a stack, before a format is chosen."""

from ..records import Record, field


class PlainTable(Record):
    """A table of plain text, which the terminal and Markdown format differently; a cell may have several lines."""

    title: str
    headers: tuple[str, ...]
    rows: list[tuple[str, ...]]
    sums: list[tuple[str, ...]] = field(default_factory=list)
    """Rows at the end that add up the rows above."""
    notes: list[str] = field(default_factory=list)
    """Sentences below the table."""


def shorten_resource(name: str) -> str:
    """Write an extended resource for a cell: ``nvidia.com/gpu.shared`` is ``gpu.shared``."""
    return name.removeprefix("nvidia.com/")
