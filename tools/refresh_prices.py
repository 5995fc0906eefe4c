"""Rebuild prices.csv, service_prices.csv and spot.csv from AWS's Price List and spot price history.

    python -m tools.refresh_prices --region us-east-1 --region eu-west-1 [--profile P] [--check]

IAM actions: pricing:GetProducts, ec2:DescribeSpotPriceHistory. What has no price gets no row: unknown is never zero.
"""

import argparse
import sys
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from gpu_blueprint.errors import BlueprintError, RefreshError

from . import price_list, price_tables, spot_history
from .arguments import parser
from .aws import Connect, connection
from .catalogue_file import CATALOG, read
from .price_list import Prices
from .publish import Rebuilt, publish

SPOT_REGION = "us-east-1"


def main(argv: Sequence[str] | None = None, catalog: Path = CATALOG, now: datetime | None = None) -> int:
    """Run the command; 0 fine, 1 failed, refused or (``--check``) outdated, 2 called in a way that cannot work."""
    arguments = _parser().parse_args(argv)
    regions = tuple(dict.fromkeys(arguments.region))
    try:
        connect = connection(arguments.profile)
        rebuilt = rebuild(connect, catalog, now or datetime.now(UTC), regions, arguments.spot_region)
        return publish(rebuilt, check=arguments.check, force=arguments.force)
    except BlueprintError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code


def rebuild(
    connect: Connect, catalog: Path, now: datetime, regions: Sequence[str], spot_region: str
) -> tuple[Rebuilt, ...]:
    """Ask for everything before anything is written, so that a failure leaves every file as it was."""
    types = [row["instance_type"] for row in read(catalog / "instances.csv").rows]
    instances = {region: _on_demand(connect, region, types) for region in regions}
    services = {region: price_list.service_prices(connect, region) for region in regions}
    reference = instances.get(spot_region) or _on_demand(connect, spot_region, types)
    shares = spot_history.spot_shares(connect, spot_region, reference.usd, now)
    return (
        price_tables.instance_prices(catalog, types, instances, now.date()),
        price_tables.service_prices(catalog, services, now.date()),
        price_tables.spot_shares(catalog, types, shares, spot_region, now.date()),
    )


def _on_demand(connect: Connect, region: str, types: Iterable[str]) -> Prices:
    prices = price_list.on_demand(connect, region, types)
    if set(prices.unknown.values()) == {price_list.UNLISTED} and not prices.usd:
        raise RefreshError(
            f"pricing:GetProducts: the Price List has no instance type in {region!r}: is it a region? "
            "China and GovCloud have price lists of their own"
        )
    return prices


def _parser() -> argparse.ArgumentParser:
    made = parser("refresh_prices", "rebuild prices.csv, service_prices.csv and spot.csv")
    made.add_argument("--spot-region", default=SPOT_REGION, help=f"region of the spot shares (default: {SPOT_REGION})")
    return made


if __name__ == "__main__":
    sys.exit(main())
