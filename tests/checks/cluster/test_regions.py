"""A region must offer the zones, keys and instance types of its stack."""

from typing import Any

import pytest

from gpu_blueprint.checks.cluster.regions import refuse_cpu_pools_outside_region
from gpu_blueprint.config import CpuPool

from ...support.builders import ACCOUNT, cluster, config, cpu_pool, network, pool, problems


def test_the_builders_stack_fits_its_region() -> None:
    assert problems() == []


def test_subnets_of_another_region_are_refused_at_each_subnet() -> None:
    subnets = [{"id": f"subnet-0a1b2c3{i}", "zone": zone} for i, zone in enumerate(("us-east-1a", "us-west-2b"))]
    (problem,) = problems(network={"mode": "existing", "vpcId": "vpc-0a1b2c3d", "subnets": subnets})
    assert problem.startswith("network.subnets.1.zone: 'us-west-2b' is not in the region us-east-1")


@pytest.mark.parametrize(
    ("region", "letter", "last"), [("us-east-1", "z", "f"), ("us-east-1", "g", "f"), ("eu-west-1", "d", "c")]
)
def test_a_zone_that_the_region_does_not_have_is_refused(region: str, letter: str, last: str) -> None:
    pools = [pool(gpu="t4")]
    assert problems(region, network=network(region, zones=[f"{region}a", f"{region}{letter}"]), pools=pools) == [
        f"network.zones.1: {region} has no zone '{region}{letter}'; "
        f"choose a zone of {region}, {region}a to {region}{last}"
    ]
    assert problems(region, network=network(region, zones=[f"{region}a", f"{region}{last}"]), pools=pools) == []


@pytest.mark.parametrize(("region", "is_refused"), [("us-east-1", False), ("us-west-2", True)])
def test_the_encryption_key_must_be_in_the_region(region: str, is_refused: bool) -> None:
    arn = f"arn:aws:kms:{region}:{ACCOUNT}:key/0a1b2c3d"
    found = problems(cluster=cluster(secretsKeyArn=arn))
    refusal = "cluster.secretsKeyArn: the key is in us-west-2, and the cluster is in us-east-1; use a key of us-east-1"
    assert found == [refusal] * is_refused


@pytest.mark.parametrize(
    ("given", "start"),
    [
        ({"instanceTypes": ["p6-b300.48xlarge"]}, "pools.0.instanceTypes.0: 'p6-b300.48xlarge' is not offered"),
        ({"gpu": "b300"}, "pools.0.gpu: no instance type with b300 is offered in eu-west-1"),
    ],
)
def test_gpus_that_the_region_does_not_offer_are_refused(given: dict[str, Any], start: str) -> None:
    (problem,) = problems("eu-west-1", network=network("eu-west-1"), pools=[pool(**given)])
    assert problem.startswith(start)


def test_a_cpu_pool_of_families_that_the_region_does_not_offer_is_refused() -> None:
    fields = cpu_pool(arch="arm64", instanceFamilies=["c", "r"])
    stack = config(pools=[pool(), fields])
    elsewhere = CpuPool.model_validate(fields).place("xx-nowhere-1", "")
    (found,) = refuse_cpu_pools_outside_region(stack.model_copy(update={"pools": [elsewhere]}))
    assert str(found) == (
        "pools.0.arch: no arm64 instance type of c, r is offered in us-east-1; "
        "choose another arch, more instanceFamilies or another region"
    )
    assert list(refuse_cpu_pools_outside_region(stack)) == []


def test_a_system_type_is_replaced_by_types_of_its_architecture() -> None:
    nodes = {"instanceTypes": ["m7i.large"]}
    (found, *_) = problems("me-south-1", network=network("me-south-1"), cluster=cluster(systemNodes=nodes))
    assert found.startswith(
        "cluster.systemNodes.instanceTypes: 'm7i.large' is not offered in me-south-1; choose one of c6i"
    )
