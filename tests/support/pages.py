"""Tables of the pages in docs/ that people write."""

import re


def list_variable_rows(page: str, first: str) -> dict[str, list[str]]:
    """The rows of a table: variable, or the begin of its name before …, → the cells behind it."""
    (table,) = re.findall(rf"^\| {first} \|.*\n\|[-|]+\n((?:\|.*\n)+)", page, re.MULTILINE)
    rows = ([cell.strip() for cell in line.strip("|").split(" | ")] for line in table.splitlines())
    return {name: rest for named, *rest in rows for name in re.findall(r"`([A-Z_]+…?)", named)}
