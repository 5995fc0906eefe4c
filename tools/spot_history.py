"""What spot capacity has cost lately, as a share of the on-demand price."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from statistics import median

from .aws import Answer, Connect, ask

DAYS = 7


def spot_shares(connect: Connect, region: str, on_demand: Mapping[str, Decimal], now: datetime) -> dict[str, Decimal]:
    """Share of each family (``g6``: 0.38): the median over sizes, zones and the last seven days.

    Only types with an on-demand price count, since without one there is no share.
    """
    pages = ask(
        connect, "ec2", region, "describe_spot_price_history",
        InstanceTypes=sorted(on_demand),
        ProductDescriptions=["Linux/UNIX", "Linux/UNIX (Amazon VPC)"],
        StartTime=now.astimezone(UTC) - timedelta(days=DAYS),
    )  # fmt: skip
    shares: dict[str, list[Decimal]] = {}
    for name, usd in _prices(pages):
        if name in on_demand:
            shares.setdefault(name.split(".")[0], []).append(usd / on_demand[name])
    return {family: median(found).quantize(Decimal("0.01")) for family, found in shares.items()}


def _prices(pages: Iterable[Answer]) -> Iterator[tuple[str, Decimal]]:
    for page in pages:
        for record in page["SpotPriceHistory"]:
            yield record["InstanceType"], Decimal(record["SpotPrice"])
