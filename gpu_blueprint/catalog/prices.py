"""What AWS asks: on-demand instances, the services a platform stands on, and what spot costs beside on-demand.

What is not in the files has no known price, which is not the same as free.
"""

from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache

from .table import rows

HOURS_A_MONTH = 730
"""As AWS's own calculators count."""
SAVINGS_PLAN_DISCOUNT = 0.17
"""Assumed where a stack states none: the low end of what buyers' guides say of one-year Compute Savings Plans (17 to 27 %);
AWS publishes rates by type, and in general «up to 66 %»."""
STALE_AFTER = timedelta(days=365)
"""Age at which a price should be read anew."""


@dataclass(frozen=True, slots=True)
class Price:
    """A price and the day on which it was read."""

    usd: float
    as_of: date
    unit: str = ""
    """What it is for, where the file says so."""


@cache
def _instances() -> dict[tuple[str, str], Price]:
    return {(row["instance_type"], row["region"]): _price(row, "usd_per_hour") for row in rows("prices.csv")}


@cache
def _services() -> dict[tuple[str, str], Price]:
    return {(row["item"], row["region"]): _price(row, "usd") for row in rows("service_prices.csv")}


@cache
def _spot() -> dict[str, Price]:
    return {row["family"]: _price(row, "share") for row in rows("spot.csv")}


def _price(row: dict[str, str], column: str) -> Price:
    return Price(float(row[column]), date.fromisoformat(row["as_of"]), row.get("unit", ""))


def on_demand(instance_type: str, region: str) -> Price | None:
    """Dollars an hour of an instance type, Linux, shared tenancy."""
    return _instances().get((instance_type, region))


def service(item: str, region: str) -> Price | None:
    """Dollars of an item such as ``nat-gateway``, for the unit that its row states."""
    return _services().get((item, region)) or _services().get((item, "*"))


def spot_share(family: str) -> Price | None:
    """What spot costs beside on-demand, as a share; an assumption. Source: the head of spot.csv."""
    return _spot().get(family)
