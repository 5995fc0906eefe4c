"""Instance types as the region shows them."""

from typing import Any

from gpu_blueprint.catalog import list_instances
from lab.aws import Shim
from lab.aws.instance_types import InstanceTypes

from ...support.lab_scenes import REGION, scene
from .conftest import connect

KARPENTER = [
    {"Name": "supported-virtualization-type", "Values": ["hvm"]},
    {"Name": "processor-info.supported-architecture", "Values": ["x86_64", "arm64"]},
]
"""Filters of Karpenter's own question."""


def test_the_region_shows_every_type_of_the_catalogue_that_it_offers(ec2: Any) -> None:
    found = {row["InstanceType"] for row in ec2.describe_instance_types(Filters=KARPENTER)["InstanceTypes"]}
    assert found == {row.instance_type for row in list_instances().values() if REGION in row.regions}


def test_moto_and_the_catalogue_agree_on_the_gpus(ec2: Any) -> None:
    for row in ec2.describe_instance_types()["InstanceTypes"]:
        gpus = row.get("GpuInfo", {}).get("Gpus", [])
        assert sum(gpu["Count"] for gpu in gpus) == list_instances()[row["InstanceType"]].gpu_count


def test_offerings_are_narrowed_beside_other_filters(ec2: Any) -> None:
    request = {"LocationType": "availability-zone", "Filters": [{"Name": "location", "Values": ["us-east-1b"]}]}
    found = ec2.describe_instance_type_offerings(**request)["InstanceTypeOfferings"]
    assert {row["Location"] for row in found} == {"us-east-1b"}
    assert {row["InstanceType"] for row in found} <= {*list_instances()}


def test_a_question_for_one_type_is_answered_for_this_type(shim: Shim) -> None:
    ec2 = connect(shim, "ec2")
    by_name = ec2.describe_instance_types(InstanceTypes=["t3.micro"])["InstanceTypes"]
    filters = [{"Name": "instance-type", "Values": ["t3.micro"]}]
    offered = ec2.describe_instance_type_offerings(Filters=filters)["InstanceTypeOfferings"]
    assert {row["InstanceType"] for row in (*by_name, *offered)} == {"t3.micro"}


def test_a_type_of_another_region_is_not_shown() -> None:
    shown = InstanceTypes(scene()).narrow_types({}).values()
    assert "g6.xlarge" in shown and "p5e.48xlarge" not in shown
