"""Existing subnets, compared with the stack file, and their free addresses."""

from typing import Any

import pytest

from gpu_blueprint.live.preflight import Status

from ...support.aws_answers import (
    PROD_SUBNETS,
    ask,
    find_finding,
    reservations,
    subnet,
    subnets,
)
from ...support.aws_endpoint import Endpoint, as_json, json_error
from ...support.plans import shipped_config

AT_CEILING = {"us-east-1a": 2521, "us-east-1b": 3021, "us-east-1c": 2455}
"""Addresses that the nodes of prod hold, computed by hand. A node holds the addresses of two interfaces.

Over three zones: infer-l4 and infer-l40s 16 nodes of 2 x 50 each (g6.16xlarge, g6e.16xlarge), 1,600 / 3 = 534;
infer-a10g 16 nodes of 2 x 30 (g5.16xlarge), 960 / 3 = 320: 534 + 320 + 534 = 1,388; cpu at
most 160 nodes of 2 vCPU and 2 x 10, 3,200 / 3 = 1,067: 2,455. In b 5 nodes of 2 x 50 for
train-h100: 500 more. In a and b 2 of the 3 system nodes, 2 x 2 x 15, and 6 for the control plane: 66 more.
"""


def test_subnets_that_match_the_file_pass(aws: Endpoint) -> None:
    assert {finding.status for finding in ask(shipped_config("prod"), "subnets")} == {Status.PASS}


def test_a_new_vpc_is_not_asked_for(aws: Endpoint) -> None:
    assert ask(shipped_config("dev"), "subnets") == []
    assert aws.asked == []


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (subnet(1, "us-east-1b", "10.80.0.0/19"), "is in us-east-1b, the file says us-east-1a"),
        (subnet(1, "us-east-1a", "10.80.0.0/20"), "has 10.80.0.0/20, the file says 10.80.0.0/19"),
        (
            subnet(1, "us-east-1a", "10.80.0.0/19", vpc="vpc-0a1b2c3d4e5f60799"),
            "is in vpc-0a1b2c3d4e5f60799, the file says vpc-0d4c7a91e2b85f368",
        ),
    ],
)
def test_a_subnet_that_differs_from_the_file_fails(aws: Endpoint, row: dict[str, str], words: str) -> None:
    aws.answers["DescribeSubnets"] = subnets(row, *PROD_SUBNETS[1:])
    found = find_finding(shipped_config("prod"), "subnets", "subnet-0d4c7a91e2b85f361")
    assert found.status is Status.FAIL and words in found.message


@pytest.mark.parametrize(
    ("row", "place"),
    [
        (subnet(1, "us-east-1-bos-1a", "10.80.0.0/19"), "the local zone us-east-1-bos-1a"),
        (subnet(1, "us-east-1-wl1-bos-wlz-1", "10.80.0.0/19"), "the Wavelength zone us-east-1-wl1-bos-wlz-1"),
        (
            {**PROD_SUBNETS[0], "outpostArn": "arn:aws:outposts:us-east-1:1:outpost/op-1"},
            "the Outpost arn:aws:outposts",
        ),
    ],
)
def test_a_subnet_outside_of_availability_zones_fails(aws: Endpoint, row: dict[str, str], place: str) -> None:
    aws.answers["DescribeSubnets"] = subnets(row, *PROD_SUBNETS[1:])
    found = find_finding(shipped_config("prod"), "subnets", "subnet-0d4c7a91e2b85f361")
    assert found.status is Status.FAIL and place in found.message
    assert found.remedy == "name a private subnet of an availability zone"


def test_subnets_that_moto_does_not_have_fail(aws: Endpoint) -> None:
    del aws.answers["DescribeSubnets"]  # moto has none of prod's
    found = ask(shipped_config("prod"), "subnets")
    assert all("does not exist in this account and region" in finding.message for finding in found)
    assert len(found) == 3
    assert {finding.status for finding in found} == {Status.FAIL}


@pytest.mark.parametrize("zone", sorted(AT_CEILING))
@pytest.mark.parametrize("short", [0, 1])
def test_free_addresses_must_hold_the_ceiling_of_all_pools(aws: Endpoint, zone: str, short: int) -> None:
    free = {"availableIpAddressCount": str(AT_CEILING[zone] - short)}
    rows = [{**row, **free} if row["availabilityZone"] == zone else row for row in PROD_SUBNETS]
    aws.answers["DescribeSubnets"] = subnets(*rows)
    found = find_finding(shipped_config("prod"), "subnets", zone)
    assert found.status is (Status.FAIL if short else Status.PASS), found.message


def test_too_few_addresses_only_warn_while_the_platform_itself_runs(aws: Endpoint) -> None:
    rows = [{**row, "availableIpAddressCount": "9"} for row in PROD_SUBNETS]
    aws.answers["DescribeSubnets"] = subnets(*rows)
    own = {"cluster": {"name": "gpu-prod", "tags": {"managed-by": "gpu-blueprint", "environment": "prod"}}}
    for answer, status in ((own, Status.WARN), ({"cluster": {"name": "gpu-prod", "tags": {}}}, Status.FAIL)):
        aws.answers["DescribeCluster"] = as_json(answer)
        assert find_finding(shipped_config("prod"), "subnets", "us-east-1a").status is status


def test_subnets_are_checked_without_the_permission_to_see_the_cluster(aws: Endpoint) -> None:
    aws.answers["DescribeSubnets"] = subnets(*({**row, "availableIpAddressCount": "9"} for row in PROD_SUBNETS))
    aws.answers["DescribeCluster"] = json_error("AccessDeniedException", "no", 403)
    assert find_finding(shipped_config("prod"), "subnets", "us-east-1a").status is Status.FAIL


def test_the_test_subnets_match_the_file_of_prod() -> None:
    answered = [(row["subnetId"], row["availabilityZone"], row["cidrBlock"]) for row in PROD_SUBNETS]
    network: Any = shipped_config("prod").network
    assert answered == [(subnet.id, subnet.zone, subnet.cidr) for subnet in network.subnets]
    assert shipped_config("prod").account_id == "100200300403"
    assert reservations({})
