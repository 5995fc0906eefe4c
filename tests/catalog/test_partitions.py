"""The partitions, compared with the SDK's own table of partitions and endpoints."""

import json
import re
from pathlib import Path
from typing import Any

import botocore
import pytest

from gpu_blueprint.catalog import list_regions
from gpu_blueprint.catalog.partitions import (
    COMMERCIAL,
    GOV,
    PARTITIONS,
    find_partition,
    find_unsupported_partition,
    read_partition,
)
from gpu_blueprint.catalog.prices import find_on_demand_price, find_service_price
from gpu_blueprint.catalog.registries import find_eks_registry
from gpu_blueprint.catalog.table import read_rows
from gpu_blueprint.catalog.zones import find_last_zone

DATA = Path(botocore.__file__).parent / "data"


def read(name: str) -> list[dict[str, Any]]:
    partitions: list[dict[str, Any]] = json.loads((DATA / name).read_text())["partitions"]
    return partitions


@pytest.mark.parametrize("row", read("partitions.json"), ids=lambda row: row["id"])
def test_each_region_of_the_sdk_has_its_partition_here(row: dict[str, Any]) -> None:
    for region in (name for name in row["regions"] if not name.endswith("-global")):
        if row["id"] in PARTITIONS:
            found = find_partition(region)
            assert (found.name, found.dns_suffix) == (row["id"], row["outputs"]["dnsSuffix"])
            assert found.world == row["outputs"]["implicitGlobalRegion"]
            assert find_unsupported_partition(region) is None
        else:
            assert find_unsupported_partition(region) == row["id"]


def test_the_sdk_knows_no_endpoint_of_the_services_that_gov_lacks() -> None:
    services = next(row["services"] for row in read("endpoints.json") if row["partition"] == GOV.name)
    assert not {"budgets", "ce", "bcm-data-exports", "cur", "billing", "pricing"} & services.keys()
    needed = {
        "eks",
        "eks-auth",
        "api.ecr",
        "fsx",
        "elasticfilesystem",
        "aps",
        "sqs",
        "events",
        "tagging",
        "servicequotas",
    }
    assert needed <= services.keys()


def test_no_region_of_a_stack_is_in_a_partition_without_support() -> None:
    assert {find_partition(region).name for region in list_regions()} == set(PARTITIONS)
    assert not any(find_unsupported_partition(region) for region in list_regions())


@pytest.mark.parametrize("region", ["us-gov-east-1", "us-gov-west-1"])
def test_the_regions_of_gov_have_zones_images_and_prices(region: str) -> None:
    assert find_last_zone(region) == f"{region}c"
    assert re.fullmatch(rf"\d{{12}}\.dkr\.ecr\.{region}\.amazonaws\.com", find_eks_registry(region))
    assert find_on_demand_price("g4dn.xlarge", region)


@pytest.mark.parametrize("row", [*read_rows("instances.csv")], ids=lambda row: row["instance_type"])
def test_gov_offers_the_types_that_it_has_a_price_for(row: dict[str, str]) -> None:
    for region in ("us-gov-east-1", "us-gov-west-1"):
        assert (region in row["regions"].split()) == bool(find_on_demand_price(row["instance_type"], region))


def test_the_price_of_every_region_is_a_price_of_the_commercial_partition() -> None:
    assert find_service_price("eks-cluster", "eu-west-3")
    assert find_service_price("eks-cluster", "us-gov-west-1") is None


@pytest.mark.parametrize("partition", PARTITIONS.values(), ids=lambda partition: partition.name)
def test_a_gap_states_its_source_and_its_remedy(partition: Any) -> None:
    for gap in (*partition.missing.values(), *partition.unknown.values()):
        assert gap.reason and gap.remedy and gap.source and gap.read.year >= 2026
    assert not partition.missing.keys() & partition.unknown.keys()


@pytest.mark.parametrize(
    ("text", "partition"),
    [
        ("arn:aws:iam::111122223333:role/x", "aws"),
        ("arn:aws-us-gov:s3:::models", "aws-us-gov"),
        ("arn:aws-cn:eks::aws:x", "aws-cn"),
        ("arn:*:iam::aws:policy/*", None),
        ("arn", None),
        ("darn:aws:s3:::x", None),
        ("", None),
    ],
)
def test_an_arn_names_its_partition(text: str, partition: str | None) -> None:
    assert read_partition(text) == partition


def test_arns_and_hosts_have_the_form_of_their_partition() -> None:
    assert GOV.build_arn("s3", "models/*") == "arn:aws-us-gov:s3:::models/*"
    assert COMMERCIAL.build_arn("iam", "policy/X", account="aws") == "arn:aws:iam::aws:policy/X"
    assert GOV.build_host("sqs", "us-gov-east-1") == "sqs.us-gov-east-1.amazonaws.com"
