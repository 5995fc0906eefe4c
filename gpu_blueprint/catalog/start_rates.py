"""Times and rates of the start of a pod on a new node: the rows of start_rates.csv."""

from dataclasses import dataclass
from functools import cache
from typing import Literal

from ..errors import CatalogError
from .table import read_rows

FILE = "start_rates.csv"
BASES = ("measured", "stated", "assumed")


@dataclass(frozen=True, slots=True)
class StartRate:
    """One row."""

    item: str
    value: float
    unit: Literal["seconds", "MiB/s"]
    basis: str
    """One of BASES."""
    source: str


def find_start_rate(item: str) -> StartRate:
    """Return the row of an item."""
    if item not in list_start_rates():
        raise CatalogError(f"{FILE} has no {item}", "add a row with its source")
    return list_start_rates()[item]


@cache
def list_start_rates() -> dict[str, StartRate]:
    """Return item → row, in the order of the file."""
    return {
        row["item"]: StartRate(
            row["item"],
            float(row["value"]),
            "seconds" if row["unit"] == "seconds" else "MiB/s",
            row["basis"],
            row["source"],
        )
        for row in read_rows(FILE)
    }
