"""Rebuilds prices.csv, service_prices.csv and spot.csv from AWS's Price List and spot price history.

    python -m tools.refresh_prices --region us-east-1 --region eu-west-1 [--profile P] [--check]

IAM actions: pricing:GetProducts, ec2:DescribeSpotPriceHistory. A type or item whose price is unknown gets no row,
because an unknown price is not zero.
"""

import argparse
import sys
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from gpu_blueprint.errors import BlueprintError, RefreshError

from . import price_list, price_tables, spot_history
from .arguments import make_parser
from .aws import Connect, open_session
from .catalogue_file import CATALOG, read
from .price_list import Prices
from .publish import Rebuilt, publish

SPOT_REGION = "us-east-1"


def main(argv: Sequence[str] | None = None, catalog: Path = CATALOG, now: datetime | None = None) -> int:
    """Run the command. Return 0 for success, 1 for a failure or (``--check``) an outdated file, 2 for wrong usage."""
    arguments = _make_parser().parse_args(argv)
    regions = tuple(dict.fromkeys(arguments.region))
    try:
        connect = open_session(arguments.profile)
        rebuilt = rebuild(connect, catalog, now or datetime.now(UTC), regions, arguments.spot_region)
        return publish(rebuilt, check=arguments.check, force=arguments.force)
    except BlueprintError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code


def rebuild(
    connect: Connect, catalog: Path, now: datetime, regions: Sequence[str], spot_region: str
) -> tuple[Rebuilt, ...]:
    """Return the rebuilt files. Nothing is written here, so a failed call leaves every file unchanged."""
    types = [row["instance_type"] for row in read(catalog / "instances.csv").rows]
    instances = {region: _read_on_demand(connect, region, types) for region in regions}
    services = {region: price_list.read_service_prices(connect, region) for region in regions}
    reference = instances.get(spot_region) or _read_on_demand(connect, spot_region, types)
    shares = spot_history.read_spot_shares(connect, spot_region, reference.usd, now)
    return (
        price_tables.rebuild_instance_prices(catalog, types, instances, now.date()),
        price_tables.rebuild_service_prices(catalog, services, now.date()),
        price_tables.rebuild_spot_shares(catalog, types, shares, spot_region, now.date()),
    )


def _read_on_demand(connect: Connect, region: str, types: Iterable[str]) -> Prices:
    prices = price_list.read_on_demand_prices(connect, region, types)
    if set(prices.unknown.values()) == {price_list.UNLISTED} and not prices.usd:
        raise RefreshError(
            f"pricing:GetProducts: the Price List has no instance type in {region!r}; check the name of the region "
            "(China has its own price list)"
        )
    return prices


def _make_parser() -> argparse.ArgumentParser:
    parser = make_parser("refresh_prices", "rebuild prices.csv, service_prices.csv and spot.csv")
    parser.add_argument(
        "--spot-region", default=SPOT_REGION, help=f"region of the spot shares (default: {SPOT_REGION})"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
