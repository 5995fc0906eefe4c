"""Reading the catalogue's CSV files: comments, a header, rows."""

import csv
from collections.abc import Iterator
from pathlib import Path


def rows(name: str) -> Iterator[dict[str, str]]:
    """The rows of one file of this folder, as header → cell."""
    lines = Path(__file__).with_name(name).read_text(encoding="utf-8").splitlines()
    yield from csv.DictReader(line for line in lines if not line.startswith("#"))
