"""The explanation of a subject: its lines, parts, tables and keys for `explain`, `preview`, plan.json and the shell."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ..config import StackConfig
from ..records import Record, field
from .plain_table import PlainTable
from .step import Step


class Part(Record):
    """A part of a stack that has a name, such as a pool."""

    name: str
    noun: str
    """The kind of the part, such as ``pool for inference``."""
    steps: Iterator[Step]
    """Worked out as they are read."""
    aliases: tuple[str, ...] = ()
    """Further names that lead to the part, unless a part has them as its name."""
    is_listed: bool = True
    """False for a part that is explained where it is named, but not with its whole stack."""


class Explain(Record, kw_only=True):
    """The sentences and values of a subject; a subject leaves out the fields in which it has nothing to say."""

    lines: Mapping[str, Callable[[StackConfig], Iterator[str]]] = field(default_factory=dict)
    """Title → the lines of `explain STACK` below it; a title without lines is left out."""
    noun: str = ""
    """The kind of parts that a stack file may name, such as ``pool``; empty for a subject without them."""
    parts: Callable[[StackConfig, str], Iterator[Part]] = lambda *_: iter(())
    """Stack and name of its file → the parts that `explain STACK PART` explains, and that shells complete."""
    tables: tuple[Callable[[StackConfig], PlainTable], ...] = ()
    """Tables of `preview`; a table without rows is left out."""
    document: Mapping[str, Callable[[StackConfig], Any]] = field(default_factory=dict)
    """Key of plan.json → its value in JSON."""
