"""docs/readers.md: the program that reads each kind of artefact in the tests."""

from collections.abc import Iterator

from .markdown import format_table
from .readers import Artefact, Table, read_table

_HEAD = """# Who reads what the blueprint writes

Components, `render`, `job`, `new` and the pages write texts that other programs read. Each kind of text has a row here,
with the program that reads it in the tests before it reaches your cluster. A test fails for a text without a row, for a
reader that no test calls, and for a reader that no planted fault has made refuse.

- **real**: the program itself reads the text, at the version of the row.
- **own code**: parts of its code read the text, beside stand-ins for what a machine without GPUs or AWS lacks.
- **schema**: a description of what the program takes judges the text.
- **nothing**: no program reads the text in the tests. The last column says what judges it, and why.

"""
_TAIL = "\nGenerated from `gpu_blueprint/docs/readers.yaml`: `make docs`.\n"
_HEADER = ("artefact", "where it is found", "level", "readers, and how they are called", "tests, or the reason")


def render_readers_page() -> str:
    """Return the page as Markdown."""
    table = read_table()
    rows = [_write_row(table, row) for row in table.artefacts]
    people = [f"- `blueprint {command}`: {reason}." for command, reason in sorted(table.for_people.items())]
    counts = ", ".join(
        f"{sum(row.level == level for row in table.artefacts)} {level}"
        for level in ("real", "own code", "schema", "nothing")
    )
    parts = [*format_table(_HEADER, rows), "", f"{len(table.artefacts)} kinds: {counts}."]
    return _HEAD + "\n".join([*parts, "", "## Written for people", "", *people, ""]) + _TAIL


def _write_row(table: Table, row: Artefact) -> list[str]:
    readers = ", ".join(table.readers[reader].describe() for reader in row.readers)
    called = f"{readers}: {row.call}" if readers else ""
    found = "; ".join(place.describe() for place in row.found)
    return [_escape(cell) for cell in (row.what, found, row.level, called, "; ".join(_list_tests(row)))]


def _list_tests(row: Artefact) -> Iterator[str]:
    if row.reason:
        yield row.reason
    for file in row.tests:
        yield f"`tests/{file}`"


def _escape(cell: str) -> str:
    return cell.replace("|", "\\|")
