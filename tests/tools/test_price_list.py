"""Reading the Price List and the spot price history, and the files that are made of them."""

import csv
from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal

import pytest

from gpu_blueprint.catalog.prices import on_demand as on_demand_price
from tools import price_tables
from tools.aws import Connect, ask, connection
from tools.catalogue_file import CATALOG, read
from tools.price_list import on_demand, service_prices
from tools.spot_history import spot_shares

from ..support.moto_server import moto_server, sign_in
from ..support.recorded_aws import RecordedAws, recorded_aws

TODAY = date(2026, 11, 21)


@pytest.fixture(scope="module")
def served() -> Iterator[tuple[RecordedAws, Connect]]:
    """One server and one connection for all tests, for making a client takes longer than asking it."""
    with recorded_aws() as aws, pytest.MonkeyPatch.context() as monkeypatch:
        sign_in(monkeypatch, aws.endpoint)
        yield aws, connection(None)


@pytest.fixture
def aws(served: tuple[RecordedAws, Connect]) -> RecordedAws:
    served[0].reset()
    return served[0]


@pytest.fixture
def connect(served: tuple[RecordedAws, Connect]) -> Connect:
    return served[1]


def test_usage_types_of_us_east_1_have_no_prefix(aws: RecordedAws, connect: Connect) -> None:
    assert service_prices(connect, "us-east-1").usd == {"nat-gateway": Decimal("0.045")}


@pytest.mark.parametrize("usage", ["EU-NatGateway-Bytes", "APN1-NatGateway-Bytes", "us-west-2-NatGateway-Bytes"])
def test_a_usage_type_may_have_the_prefix_of_its_region(aws: RecordedAws, connect: Connect, usage: str) -> None:
    aws.usage("USW2-NatGateway-Bytes")["product"]["attributes"]["usagetype"] = usage
    assert service_prices(connect, "us-west-2").usd["nat-gateway-data"] == Decimal("0.046")


@pytest.mark.parametrize("usage", ["TS-NatGateway-Bytes", "USW2-Outposts-NatGateway-Bytes", "USW2-XNatGateway-Bytes"])
def test_a_usage_type_that_only_ends_alike_is_another(aws: RecordedAws, connect: Connect, usage: str) -> None:
    aws.usage("USW2-NatGateway-Bytes")["product"]["attributes"]["usagetype"] = usage
    assert service_prices(connect, "us-west-2").unknown["nat-gateway-data"] == "not in the Price List"


def test_the_first_tier_that_is_not_free_counts(aws: RecordedAws, connect: Connect) -> None:
    [term] = aws.usage("USW2-NatGateway-Bytes")["terms"]["OnDemand"].values()
    [tier] = term["priceDimensions"].values()
    term["priceDimensions"] = {
        "dear": {**tier, "beginRange": "2000", "pricePerUnit": {"USD": "0.03"}},
        "free": {**tier, "beginRange": "0", "pricePerUnit": {"USD": "0.0"}},
        "paid": {**tier, "beginRange": "100", "pricePerUnit": {"USD": "0.04"}},
    }
    assert service_prices(connect, "us-west-2").usd["nat-gateway-data"] == Decimal("0.04")


def test_throughput_may_be_priced_in_either_unit(aws: RecordedAws, connect: Connect) -> None:
    [term] = aws.usage("USW2-EBS:VolumeP-Throughput.gp3")["terms"]["OnDemand"].values()
    [tier] = term["priceDimensions"].values()
    assert service_prices(connect, "us-west-2").usd["gp3-throughput"] == Decimal("0.04")
    tier.update(unit="MiBps-Mo", pricePerUnit={"USD": "0.05"})
    assert service_prices(connect, "us-west-2").usd["gp3-throughput"] == Decimal("0.05")


def test_a_unit_that_nobody_expected_makes_a_price_unknown(aws: RecordedAws, connect: Connect) -> None:
    aws.priced("g6.xlarge")[0]["unit"] = "Seconds"
    prices = on_demand(connect, "us-west-2", ["g6.xlarge"])
    assert (prices.usd, prices.unknown) == ({}, {"g6.xlarge": "priced per Seconds"})


def test_spot_history_is_read_from_moto_as_from_ec2(monkeypatch: pytest.MonkeyPatch) -> None:
    """moto knows one price for everything, which rounds to no share at all."""
    with moto_server() as endpoint:
        sign_in(monkeypatch, endpoint)
        connect, types = connection(None), ["g6.xlarge", "p5.48xlarge"]
        pages = list(ask(connect, "ec2", "us-east-1", "describe_spot_price_history", InstanceTypes=types))
        usd = {"g6.xlarge": Decimal("0.00004"), "p5.48xlarge": Decimal(1)}
        shares = spot_shares(connect, "us-east-1", usd, datetime(2026, 11, 21, tzinfo=UTC))
    assert {one["InstanceType"] for one in pages[0]["SpotPriceHistory"]} == set(types)
    assert shares == {"g6": Decimal("0.25"), "p5": Decimal("0.00")}


def test_a_share_that_rounds_to_nothing_is_unknown() -> None:
    made = price_tables.spot_shares(CATALOG, ["g6.xlarge"], {"g6": Decimal("0.00")}, "us-east-1", TODAY)
    assert made.file.rows == ()
    assert made.unknown == {"g6": "a share that rounds to nothing"}


def test_the_shipped_files_are_as_the_tool_would_write_them() -> None:
    types = [row["instance_type"] for row in read(CATALOG / "instances.csv").rows]
    made = [price_tables.instance_prices(CATALOG, types, {}, TODAY), price_tables.service_prices(CATALOG, {}, TODAY)]
    shipped = {one.file.path: one.file.text for one in made if one.file.path.exists()}
    assert CATALOG / "prices.csv" in shipped
    assert {path: path.read_text() for path in shipped} == shipped


def test_every_shipped_price_has_the_day_on_which_it_was_read() -> None:
    lines = (CATALOG / "prices.csv").read_text().splitlines()
    rows = list(csv.DictReader(line for line in lines if not line.startswith("#")))
    assert len(rows) > 50
    sources = {line.removeprefix("# ").split(":")[0] for line in lines if line.startswith("#")}
    for row in rows:
        price = on_demand_price(row["instance_type"], row["region"])
        assert price and price.usd > 0 and price.as_of == date.fromisoformat(row["as_of"]) >= date(2025, 3, 2)
        assert row["source"] in sources
    assert on_demand_price("p5e.48xlarge", "nowhere-1") is None
