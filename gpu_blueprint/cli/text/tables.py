"""Text for readers: tables without lines, at most 100 columns wide, with colour only on a terminal."""

import io
import re
import sys
from contextlib import AbstractContextManager
from textwrap import wrap
from typing import IO, cast

from rich.console import Console
from rich.table import Table

WIDTH = 100


class _Pipe(Console):
    """A console that raises an error for a closed pipe instead of ending the program."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


class _Trimmed(io.TextIOBase):
    """A stream that drops the blanks with which a table fills the end of a line."""

    def write(self, text: str) -> int:
        sys.stdout.write(re.sub(r" +(?=\n)", "", text))
        return len(text)


def make_console(width: int = WIDTH) -> Console:
    """Return the console: the terminal with its colours, or plain text of fixed width in columns."""
    if sys.stdout.isatty():
        return _Pipe(highlight=False, emoji=False)
    return _Pipe(file=cast(IO[str], _Trimmed()), width=width, highlight=False, emoji=False)


def wrap_words(text: str, width: int, first: str = "", others: str = "") -> list[str]:
    """Return a text in lines; a word that is longer than a line stays whole, so that people can copy and search it.

    Args:
        text: The text.
        width: Columns of a line.
        first: Beginning of the first line.
        others: Beginning of the other lines.
    """
    return wrap(
        text, width, initial_indent=first, subsequent_indent=others, break_on_hyphens=False, break_long_words=False
    )


def show_progress(message: str) -> AbstractContextManager[object]:
    """Show a line on the terminal, if there is one, until the work is done."""
    return Console(stderr=True).status(message)


def make_table(title: str, *headers: str) -> Table:
    """Return an empty table with a bold title."""
    table = Table(title=title, title_justify="left", title_style="bold", expand=True, box=None, pad_edge=False)
    for header in headers:
        table.add_column(header, header_style="underline", overflow="fold")
    return table
