"""On-demand prices: the rows of prices.csv."""

import csv
from functools import cache
from pathlib import Path


@cache
def _prices() -> dict[tuple[str, str], float]:
    lines = (Path(__file__).with_name("prices.csv")).read_text(encoding="utf-8").splitlines()
    rows = csv.DictReader(line for line in lines if not line.startswith("#"))
    return {(row["instance_type"], row["region"]): float(row["usd_per_hour"]) for row in rows}


def usd_per_hour(instance_type: str, region: str) -> float | None:
    """On-demand price of a type in a region; None where it is not known, which is not the same as free."""
    return _prices().get((instance_type, region))
