"""Prices of single objects by the month."""

from typing import Any

import pytest

from gpu_blueprint.catalog.prices import find_on_demand_price, find_spot_share
from gpu_blueprint.live.leftovers.prices import price_month

from ...support.plans import shipped_config

RUNNING = {"InstanceType": "g6.xlarge", "State": {"Name": "running"}}


def price(kind: str, **described: Any) -> str:
    month = price_month(shipped_config("dev"), kind, described)
    return str(month) if month is not None else "none"


@pytest.mark.parametrize(
    ("kind", "described", "expected"),
    [
        ("eks:cluster", {}, "$73.00"),
        ("ec2:natgateway", {}, "$32.85"),
        ("ec2:elastic-ip", {}, "$3.65"),
        ("kms:key", {}, "$1.00"),
        ("ec2:volume", {"VolumeType": "gp3", "Size": 100}, "$8.00"),
        ("ec2:volume", {"VolumeType": "gp3", "Size": 100, "Iops": 4000, "Throughput": 225}, "$17.00"),
        ("ec2:volume", {"VolumeType": "io2", "Size": 100}, "unknown"),
        ("ec2:vpc-endpoint", {"VpcEndpointType": "Interface", "SubnetIds": ["a", "b"]}, "$14.60"),
        ("ec2:vpc-endpoint", {"VpcEndpointType": "Gateway"}, "none"),
        ("ec2:vpc", {}, "none"),
        ("ec2:instance", {**RUNNING, "State": {"Name": "stopped"}}, "$0.00"),
        ("ec2:instance", {**RUNNING, "InstanceType": "x9.huge"}, "unknown"),
        ("elasticloadbalancing:loadbalancer/net", {}, "$16.43"),
    ],
)
def test_an_object_costs_what_the_catalogue_says(kind: str, described: dict[str, Any], expected: str) -> None:
    assert price(kind, **described) == expected


def test_an_instance_on_spot_costs_its_share_of_the_on_demand_price() -> None:
    on_demand, share = find_on_demand_price("g6.xlarge", "us-east-1"), find_spot_share("g6")
    assert on_demand and share
    whole = on_demand.usd * 730
    assert price("ec2:instance", **RUNNING) == f"${whole:,.2f}"
    assert price("ec2:instance", **RUNNING, InstanceLifecycle="spot") == f"${whole * share.usd:,.2f}"
