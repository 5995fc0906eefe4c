"""Explanations of rules, alerts and kinds of problems as sentences, and of parts of a stack as steps."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from rich.table import Table
from rich.text import Text

from .tables import make_console


class Step(Protocol):
    """One step of an explanation."""

    @property
    def title(self) -> str:
        """The subject of the step."""

    @property
    def lines(self) -> tuple[str, ...]:
        """The facts of the step."""


@dataclass(frozen=True, slots=True)
class Topic:
    """One meaning of a name: its kind, and either lines of text or steps."""

    name: str
    noun: str
    """The kind of the topic, such as ``alert``."""
    lines: tuple[str, ...] = ()
    steps: Sequence[Step] = ()


def show(topics: Sequence[Topic]) -> None:
    """Print the topics, one below the other."""
    for index, topic in enumerate(topics):
        if index:
            print()
        out = make_console()
        out.print(Text.assemble((topic.name, "bold"), f", {topic.noun}\n"))
        for line in topic.lines:
            print(line.rstrip())
        if topic.steps:
            out.print(_build_step_table(topic.steps))


def _build_step_table(steps: Iterable[Step]) -> Table:
    rows = Table(box=None, show_header=False, pad_edge=False)
    rows.add_column(style="bold", no_wrap=True)
    rows.add_column(overflow="fold")
    for index, step in enumerate(steps):
        if index:
            rows.add_row()
        rows.add_row(step.title, Text("\n".join(step.lines)))
    return rows
