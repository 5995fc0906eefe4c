"""Preflight: are reserved capacity and existing subnets what the file says?"""

import pytest

from gpu_blueprint.config import StackConfig
from gpu_blueprint.live.preflight import Status

from ...support import builders
from ...support.aws_answers import PROD_SUBNETS, ask, only, reservations, subnet, subnets
from ...support.aws_endpoint import Answer, Endpoint, as_json, ec2_error, json_error
from ...support.plans import shipped_config

RESERVED = "cr-0a1b2c3d4e5f60718"
AT_CEILING = {"us-east-1a": 1454, "us-east-1b": 1854, "us-east-1c": 1388}
"""Addresses that prod's nodes hold, by hand; a node holds those of two interfaces.

Over three zones: infer-l4 and infer-l40s 16 nodes of 2 x 50 each (g6.16xlarge, g6e.16xlarge), 1,600 / 3 = 534; infer-a10g
16 nodes of 2 x 30 (g5.16xlarge), 960 / 3 = 320: 534 + 320 + 534 = 1,388. In b 4 nodes of 2 x 50 for train-h100: 400 more.
In a and b 2 of the 3 system nodes, 2 x 2 x 15, and 6 for the control plane: 66 more.
"""


def with_end(ends: str | None, **overrides: object) -> StackConfig:
    """A stack with one reservation of two p5.48xlarge."""
    said = {"id": RESERVED, "instanceType": "p5.48xlarge", "zone": "us-east-1b", "instances": 2, **overrides}
    term = {"tags": said["tags"]} if "tags" in said else {"id": RESERVED}
    types = {"instanceTypes": ["p5.48xlarge"], "zones": ["us-east-1b"], "maxGpus": 16}
    pool = builders.pool(purchase=["reserved"], reservations=[term], **types)
    return builders.config(
        pools=[pool],
        reservations=[
            {**said, **({"ends": ends, "capacityBlock": overrides.get("capacityBlock", True)} if ends else {})}
        ],
    )


def test_a_reservation_as_the_file_says_passes(aws: Endpoint) -> None:
    found = only(shipped_config("prod"), "reservations")
    assert found.status is Status.PASS
    assert found.message == "active reservation of 4 × p5.48xlarge in us-east-1b, 4 free, without end"


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"state": "expired"}, "is expired"),
        ({"state": "cancelled"}, "is cancelled"),
        ({"instanceType": "p5e.48xlarge"}, "reserves p5e.48xlarge, the file says p5.48xlarge"),
        ({"availabilityZone": "us-east-1a"}, "is in us-east-1a, the file says us-east-1b"),
        ({"totalInstanceCount": "3"}, "holds 3 instances, the file says 4"),
        ({"tenancy": "dedicated"}, "is for dedicated tenancy"),
        ({"instancePlatform": "Windows"}, "is for Windows"),
    ],
)
def test_a_reservation_that_nodes_could_not_use_fails(aws: Endpoint, changed: dict[str, str], words: str) -> None:
    aws.answers["DescribeCapacityReservations"] = reservations(changed)
    found = only(shipped_config("prod"), "reservations")
    assert found.status is Status.FAIL and words in found.message


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"totalInstanceCount": "5"}, "holds 5 instances, the file uses 4"),
        ({"endDate": "2027-03-31T11:30:00.000Z"}, "ends on 2027-03-31, the file says no end"),
        ({"state": "scheduled", "startDate": "2026-12-01T11:30:00.000Z"}, "is scheduled, starts 2026-12-01 11:30 UTC"),
        ({"state": "payment-pending"}, "is payment-pending"),
    ],
)
def test_a_reservation_that_is_otherwise_than_said_warns(aws: Endpoint, changed: dict[str, str], words: str) -> None:
    aws.answers["DescribeCapacityReservations"] = reservations(changed)
    found = only(shipped_config("prod"), "reservations")
    assert found.status is Status.WARN and words in found.message


@pytest.mark.parametrize(
    ("said", "status", "words"),
    [
        ("2027-03-31", Status.PASS, "active Capacity Block of 2 × p5.48xlarge in us-east-1b, 4 free, until 2027-03-31"),
        ("2027-04-01", Status.FAIL, "ends on 2027-03-31, the file says 2027-04-01"),
        ("2027-03-30", Status.WARN, "ends on 2027-03-31, the file says 2027-03-30"),
        (None, Status.WARN, "ends on 2027-03-31, the file says no end"),
    ],
)
def test_the_end_is_compared_with_the_last_day(aws: Endpoint, said: str | None, status: Status, words: str) -> None:
    block = {"reservationType": "capacity-block", "endDate": "2027-03-31T11:30:00.000Z", "totalInstanceCount": "2"}
    aws.answers["DescribeCapacityReservations"] = reservations(block)
    found = only(with_end(said), "reservations")
    assert found.status is status and words in found.message


def test_a_reservation_that_never_ends_though_said_warns(aws: Endpoint) -> None:
    aws.answers["DescribeCapacityReservations"] = reservations({"totalInstanceCount": "2"})
    found = only(with_end("2027-03-31"), "reservations")
    assert found.status is Status.WARN
    assert "ends never by itself" in found.message
    assert "is no Capacity Block, so it counts against Running On-Demand" in found.message


def test_a_block_that_the_file_takes_for_a_reservation_warns(aws: Endpoint) -> None:
    block = {"reservationType": "capacity-block", "endDate": "2027-03-31T11:30:00.000Z", "totalInstanceCount": "2"}
    aws.answers["DescribeCapacityReservations"] = reservations(block)
    found = only(with_end("2027-03-31", capacityBlock=False), "reservations")
    assert found.status is Status.WARN and "write capacityBlock: true" in found.message


def test_a_reservation_without_the_tags_that_pools_select_by_fails(aws: Endpoint) -> None:
    stack = with_end(None, tags={"team": "training"})
    listed = "<tagSet><item><key>team</key><value>{}</value></item></tagSet>"
    for value, status in (("serving", Status.FAIL), ("training", Status.PASS)):
        held = reservations({"totalInstanceCount": "2"}).body.replace("</item>", listed.format(value) + "</item>", 1)
        aws.answers["DescribeCapacityReservations"] = Answer(held)
        assert only(stack, "reservations").status is status


def test_a_reservation_that_is_not_there_fails(aws: Endpoint) -> None:
    missing = ec2_error("InvalidCapacityReservationId.NotFound", "The capacity reservation does not exist.")
    for answer in (missing, reservations()):
        aws.answers["DescribeCapacityReservations"] = answer
        found = only(shipped_config("prod"), "reservations")
        assert found.status is Status.FAIL
        assert found.message == "is not in this account and us-east-1"


def test_subnets_as_the_file_says_pass(aws: Endpoint) -> None:
    assert {one.status for one in ask(shipped_config("prod"), "subnets")} == {Status.PASS}


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
            "is in vpc-0a1b2c3d4e5f60799, the file says vpc-0a1b2c3d4e5f60718",
        ),
    ],
)
def test_a_subnet_that_is_another_than_said_fails(aws: Endpoint, row: dict[str, str], words: str) -> None:
    aws.answers["DescribeSubnets"] = subnets(row, *PROD_SUBNETS[1:])
    found = only(shipped_config("prod"), "subnets", "subnet-0a1b2c3d4e5f60711")
    assert found.status is Status.FAIL and words in found.message


def test_a_subnet_that_moto_does_not_have_fails_and_the_others_are_still_judged(aws: Endpoint) -> None:
    del aws.answers["DescribeSubnets"]  # moto has none of prod's
    found = ask(shipped_config("prod"), "subnets")
    assert [one.message for one in found] == ["is not in this account and region"] * 3
    assert {one.status for one in found} == {Status.FAIL}


@pytest.mark.parametrize("zone", sorted(AT_CEILING))
@pytest.mark.parametrize("short", [0, 1])
def test_free_addresses_must_hold_the_ceiling_of_all_pools(aws: Endpoint, zone: str, short: int) -> None:
    rows = [row if row["availabilityZone"] != zone else {
        **row, "availableIpAddressCount": str(AT_CEILING[zone] - short)
    } for row in PROD_SUBNETS]  # fmt: skip
    aws.answers["DescribeSubnets"] = subnets(*rows)
    found = only(shipped_config("prod"), "subnets", zone)
    assert found.status is (Status.FAIL if short else Status.PASS), found.message


def test_addresses_that_the_running_platform_holds_itself_only_warn(aws: Endpoint) -> None:
    rows = [{**row, "availableIpAddressCount": "9"} for row in PROD_SUBNETS]
    aws.answers["DescribeSubnets"] = subnets(*rows)
    own = {"cluster": {"name": "gpu-prod", "tags": {"managed-by": "gpu-blueprint", "environment": "prod"}}}
    for answer, status in ((own, Status.WARN), ({"cluster": {"name": "gpu-prod", "tags": {}}}, Status.FAIL)):
        aws.answers["DescribeCluster"] = as_json(answer)
        assert only(shipped_config("prod"), "subnets", "us-east-1a").status is status


def test_subnets_are_judged_also_by_those_who_may_not_see_the_cluster(aws: Endpoint) -> None:
    aws.answers["DescribeSubnets"] = subnets(*({**row, "availableIpAddressCount": "9"} for row in PROD_SUBNETS))
    aws.answers["DescribeCluster"] = json_error("AccessDeniedException", "no", 403)
    assert only(shipped_config("prod"), "subnets", "us-east-1a").status is Status.FAIL
