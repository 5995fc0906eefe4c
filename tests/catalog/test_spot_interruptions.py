"""The shares of spot instances that EC2 takes back: known types in regions that sell them on spot, in AWS's ranges."""

from datetime import date

import pytest

from gpu_blueprint.catalog import find_instance
from gpu_blueprint.catalog.spot_interruptions import FILE, OPEN_RANGE, RANGES, find_reclaims, list_read_regions
from gpu_blueprint.catalog.table import read_rows

ROWS = [*read_rows(FILE)]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['instance_type']}-{row['region']}")
def test_each_row_is_a_gpu_type_that_its_region_sells_on_spot(row: dict[str, str]) -> None:
    found = find_instance(row["instance_type"])
    assert found.gpu_devices and "spot" in found.usage_classes and row["region"] in found.regions
    assert row["reclaimed_percent"] in RANGES and date.fromisoformat(row["as_of"]) >= date(2026, 1, 1)


def test_no_pair_has_two_rows() -> None:
    assert len({(row["instance_type"], row["region"]) for row in ROWS}) == len(ROWS) > 100


def test_the_share_is_the_upper_end_of_the_range() -> None:
    for percent, share in RANGES.items():
        if percent != OPEN_RANGE:
            assert share * 100 == int(percent.split("-")[1])
    assert 0.2 < RANGES[OPEN_RANGE] < 1


def test_known_types_have_the_shares_that_aws_showed() -> None:
    shown = {("p5.48xlarge", "us-east-1"): 0.05, ("p4d.24xlarge", "us-east-1"): 0.2, ("g5.48xlarge", "us-west-2"): 0.5}
    for (name, region), share in shown.items():
        found = find_reclaims(name, region)
        assert found and found.share == share


def test_a_pair_that_nobody_read_has_no_share() -> None:
    assert find_reclaims("p5.48xlarge", "eu-west-1") is None
    assert list_read_regions() == ["ap-northeast-1", "us-east-1", "us-west-2"]
