"""Print tables without lines and sentences, at most 100 characters wide, with colour only on a terminal."""

import io
import re
import sys
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from textwrap import wrap
from typing import IO, Any, cast

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.table import Table
from rich.text import Text

WIDTH = 100
_GAP = 2
"""Blanks between two columns of a table."""


class _Pipe(Console):
    """A console that raises an error if the pipe is closed; rich's own would end the program."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError

    def print(self, *objects: Any, **options: Any) -> None:
        """Print objects; lines that are too long for the page are not cut."""
        super().print(*objects, **{"crop": False, **options})


class _WholeWords(Table):
    """A table whose cells wrap only between words; in a pipe, lines get longer rather than split a name."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        texts = [_read_cells(console, (column.header, *column.cells)) for column in self.columns]
        least = [max(cell_len(word) for word in [*text.split(), ""]) for text in texts]
        most = [max(cell_len(line) for line in [*text.splitlines(), ""]) for text in texts]
        gaps = _GAP * (len(texts) - 1)
        room = options.max_width - gaps
        if sum(most) > room and (sum(least) <= room or not console.is_terminal):
            for column, width in zip(self.columns, _level(least, most, room), strict=True):
                column.width, column.ratio = width, None
            options = options.update_width(max(options.max_width, sum(least) + gaps))
        return super().__rich_console__(console, options)


class _Trimmed(io.TextIOBase):
    """A stream that drops blanks at the end of lines, with which rich fills the columns of tables."""

    def write(self, text: str) -> int:
        sys.stdout.write(re.sub(r" +(?=\n)", "", text))
        return len(text)


def make_console(width: int = WIDTH) -> Console:
    """Return a console: the terminal with its colours, else one that writes plain text of a fixed width."""
    if sys.stdout.isatty():
        return _Pipe(highlight=False, emoji=False)
    return _Pipe(file=cast(IO[str], _Trimmed()), width=width, highlight=False, emoji=False)


def wrap_words(text: str, width: int, first: str = "", others: str = "") -> list[str]:
    """Return the lines of a text; a word that is longer than a line stays whole, so that people can copy and find it.

    Args:
        text: The text.
        width: Most characters of a line.
        first: Beginning of the first line.
        others: Beginning of the other lines.
    """
    return wrap(
        text, width, initial_indent=first, subsequent_indent=others, break_on_hyphens=False, break_long_words=False
    )


def show_words(out: Console, text: str, style: str = "") -> None:
    """Print a sentence in lines of the console's width, without splitting words."""
    out.print(Text("\n".join(wrap_words(text, out.width)), style=style), soft_wrap=True)


def show_progress(message: str) -> AbstractContextManager[object]:
    """Show a line on the terminal, if there is one, until the context ends."""
    return Console(stderr=True).status(message)


def _read_cells(console: Console, cells: Iterable[RenderableType]) -> str:
    """Return the cells of a column as one text without markup."""
    texts = (console.render_str(cell) if isinstance(cell, str) else cell for cell in cells)
    return "\n".join(text.plain for text in texts if isinstance(text, Text))


def _level(least: Sequence[int], most: Sequence[int], room: int) -> list[int]:
    """Return widths with a sum of at most ``room``, if possible: the widest shrink first, to their longest word."""
    for widest in range(max(most), 0, -1):
        widths = [max(low, min(high, widest)) for low, high in zip(least, most, strict=True)]
        if sum(widths) <= room:
            return widths
    return [*least]


def make_table(title: str, *headers: str) -> Table:
    """Return an empty table with a bold title."""
    table = _WholeWords(title=title, title_justify="left", title_style="bold", expand=True, box=None, pad_edge=False)
    for header in headers:
        table.add_column(header, header_style="underline", overflow="fold")
    return table
