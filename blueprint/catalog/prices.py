"""On-demand prices: the rows of prices.csv."""

import csv
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path


@dataclass(frozen=True, slots=True)
class _Price:
    usd_per_hour: float
    as_of: date


@cache
def _prices() -> dict[tuple[str, str], _Price]:
    lines = (Path(__file__).with_name("prices.csv")).read_text(encoding="utf-8").splitlines()
    rows = csv.DictReader(line for line in lines if not line.startswith("#"))
    return {
        (row["instance_type"], row["region"]): _Price(float(row["usd_per_hour"]), date.fromisoformat(row["as_of"]))
        for row in rows
    }


def usd_per_hour(instance_type: str, region: str) -> float | None:
    """On-demand price of a type in a region; None where it is not known, which is not the same as free."""
    price = _prices().get((instance_type, region))
    return price.usd_per_hour if price else None


def as_of(instance_type: str, region: str) -> date | None:
    """Day on which that price was read from its source; None where there is none."""
    price = _prices().get((instance_type, region))
    return price.as_of if price else None
