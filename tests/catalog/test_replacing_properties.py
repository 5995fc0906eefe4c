import pytest

from gpu_blueprint.catalog.replacing_properties import list_replacing_properties
from gpu_blueprint.errors import LabError

from ..support.aws_types import list_aws_types
from ..support.plans import SHIPPED, plan


def test_the_plans_hold_no_type_that_the_source_of_the_components_does_not_show() -> None:
    planned = {found.type for stack in SHIPPED for found in plan(stack) if found.type.startswith("aws:")}
    assert len(planned) > 25 and planned < {*list_aws_types()}


@pytest.mark.parametrize("type_", list_aws_types())
def test_every_type_that_the_components_can_make_is_in_the_table(type_: str) -> None:
    assert all(path and not path.startswith(".") for path in list_replacing_properties(type_))


@pytest.mark.parametrize(
    ("type_", "replaces", "stays"),
    [
        ("aws:eks/cluster:Cluster", "kubernetesNetworkConfig.serviceIpv4Cidr", "version"),
        ("aws:eks/nodeGroup:NodeGroup", "instanceTypes", "scalingConfig.minSize"),
        ("aws:ec2/subnet:Subnet", "cidrBlock", "mapPublicIpOnLaunch"),
    ],
)
def test_known_replacements(type_: str, replaces: str, stays: str) -> None:
    assert replaces in list_replacing_properties(type_) and stays not in list_replacing_properties(type_)


def test_an_unknown_type_is_refused() -> None:
    with pytest.raises(LabError, match="add the inputs"):
        list_replacing_properties("aws:ec2/vpc:Vpcs")
