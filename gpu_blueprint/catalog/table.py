"""Reader of the catalogue's CSV files, which have comments, a header and rows."""

import csv
from collections.abc import Iterator
from pathlib import Path


def read_rows(name: str) -> Iterator[dict[str, str]]:
    """Yield the rows of a file in this folder, each as header → cell."""
    lines = Path(__file__).with_name(name).read_text(encoding="utf-8").splitlines()
    yield from csv.DictReader(line for line in lines if not line.startswith("#"))
