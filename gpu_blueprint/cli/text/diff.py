"""The fields in which two stacks differ."""

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import wrap

from rich.console import Console
from rich.text import Text

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
    out = make_console()
    if differences:
        _print_rows(out, stacks, differences)
    count = len(differences)
    out.print(f"{count} field{' differs' if count == 1 else 's differ'}, {same} are the same.")


def _print_rows(out: Console, stacks: tuple[str, str], differences: Sequence[Difference]) -> None:
    """Print a row for each field; values too long for their columns stand below it, so that no name is broken."""
    left = max(len(difference.path) for difference in differences) + 2
    column = max((out.width - left) // 2, 12)
    names = [stack.ljust(column) for stack in stacks]
    out.print(Text.assemble(("field", "underline"), " " * (left - len("field")), *names), soft_wrap=True)
    for difference in differences:
        values = (difference.before or _ABSENT, difference.after or _ABSENT)
        if all(len(value) < column for value in values):
            out.print(Text(difference.path.ljust(left) + values[0].ljust(column) + values[1]), soft_wrap=True)
            continue
        out.print(Text(difference.path), soft_wrap=True)
        indent = max(map(len, stacks)) + 4
        for stack, value in zip(stacks, values, strict=True):
            lines = wrap(value, out.width - indent, break_long_words=False, break_on_hyphens=False)
            for name, line in zip([f"  {stack}", *[""] * len(lines)], lines, strict=False):
                out.print(Text(name.ljust(indent) + line), soft_wrap=True)
