"""The fields in which two stacks differ."""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.table import Table

from .tables import make_console

_ABSENT = "–"


@dataclass(frozen=True, slots=True)
class Difference:
    """A field with two values; None where a stack does not have the field."""

    path: str
    before: str | None
    after: str | None


def show(stacks: tuple[str, str], differences: Sequence[Difference], same: int) -> None:
    """Print the fields that differ, and how many are the same."""
    rows = Table(box=None, pad_edge=False, expand=True)
    rows.add_column("field", header_style="underline", no_wrap=True)
    for stack in stacks:
        rows.add_column(stack, header_style="underline", overflow="fold")
    for difference in differences:
        rows.add_row(difference.path, difference.before or _ABSENT, difference.after or _ABSENT)
    out = make_console()
    if differences:
        out.print(rows)
    count = len(differences)
    out.print(f"{count} field{' differs' if count == 1 else 's differ'}, {same} are the same.")
