"""The Price List is read with the usage types, units and tiers that AWS uses."""

from collections.abc import Iterator
from decimal import Decimal

import pytest

from tools.aws import Connect, open_session
from tools.price_list import read_on_demand_prices, read_service_prices

from ..support.moto_server import sign_in
from ..support.recorded_aws import RecordedAws, recorded_aws


@pytest.fixture(scope="module")
def served() -> Iterator[tuple[RecordedAws, Connect]]:
    """One server and one connection for all tests, because making a client takes longer than a call."""
    with recorded_aws() as aws, pytest.MonkeyPatch.context() as monkeypatch:
        sign_in(monkeypatch, aws.endpoint)
        yield aws, open_session(None)


@pytest.fixture
def aws(served: tuple[RecordedAws, Connect]) -> RecordedAws:
    served[0].reset()
    return served[0]


@pytest.fixture
def connect(served: tuple[RecordedAws, Connect]) -> Connect:
    return served[1]


def test_usage_types_of_us_east_1_have_no_prefix(aws: RecordedAws, connect: Connect) -> None:
    assert read_service_prices(connect, "us-east-1").usd == {"nat-gateway": Decimal("0.045")}


@pytest.mark.parametrize("usage", ["EU-NatGateway-Bytes", "APN1-NatGateway-Bytes", "us-west-2-NatGateway-Bytes"])
def test_a_usage_type_may_have_the_prefix_of_its_region(aws: RecordedAws, connect: Connect, usage: str) -> None:
    aws.usage("USW2-NatGateway-Bytes")["product"]["attributes"]["usagetype"] = usage
    assert read_service_prices(connect, "us-west-2").usd["nat-gateway-data"] == Decimal("0.046")


@pytest.mark.parametrize("usage", ["TS-NatGateway-Bytes", "USW2-Outposts-NatGateway-Bytes", "USW2-XNatGateway-Bytes"])
def test_a_usage_type_with_the_same_end_is_another_usage_type(aws: RecordedAws, connect: Connect, usage: str) -> None:
    aws.usage("USW2-NatGateway-Bytes")["product"]["attributes"]["usagetype"] = usage
    assert read_service_prices(connect, "us-west-2").unknown["nat-gateway-data"] == "not in the Price List"


def test_the_first_tier_that_is_not_free_counts(aws: RecordedAws, connect: Connect) -> None:
    [term] = aws.usage("USW2-NatGateway-Bytes")["terms"]["OnDemand"].values()
    [tier] = term["priceDimensions"].values()
    term["priceDimensions"] = {
        "dear": {**tier, "beginRange": "2000", "pricePerUnit": {"USD": "0.03"}},
        "free": {**tier, "beginRange": "0", "pricePerUnit": {"USD": "0.0"}},
        "paid": {**tier, "beginRange": "100", "pricePerUnit": {"USD": "0.04"}},
    }
    assert read_service_prices(connect, "us-west-2").usd["nat-gateway-data"] == Decimal("0.04")


def test_throughput_may_be_priced_in_either_unit(aws: RecordedAws, connect: Connect) -> None:
    [term] = aws.usage("USW2-EBS:VolumeP-Throughput.gp3")["terms"]["OnDemand"].values()
    [tier] = term["priceDimensions"].values()
    assert read_service_prices(connect, "us-west-2").usd["gp3-throughput"] == Decimal("0.04")
    tier.update(unit="MiBps-Mo", pricePerUnit={"USD": "0.05"})
    assert read_service_prices(connect, "us-west-2").usd["gp3-throughput"] == Decimal("0.05")


def test_an_unexpected_unit_makes_a_price_unknown(aws: RecordedAws, connect: Connect) -> None:
    aws.priced("g6.xlarge")[0]["unit"] = "Seconds"
    prices = read_on_demand_prices(connect, "us-west-2", ["g6.xlarge"])
    assert (prices.usd, prices.unknown) == ({}, {"g6.xlarge": "priced per Seconds"})
