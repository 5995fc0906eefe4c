"""Whether what pools ask for can be had: reservations, spot, addresses, jobs on several nodes, static nodes."""

from datetime import date
from typing import Any

import pytest

from gpu_blueprint.checks import find_warnings

from ..support.builders import cluster, config, network, pool, problems

TODAY = date(2026, 11, 20)
ID = "cr-0a1b2c3d4e5f60718"


def reservation(**overrides: Any) -> dict[str, Any]:
    return {"id": ID, "instanceType": "p5.48xlarge", "zone": "us-east-1a", "instances": 2, **overrides}


def training(**overrides: Any) -> dict[str, Any]:
    given: dict[str, Any] = {"purpose": "training", "instanceTypes": ["p5.48xlarge"], "maxGpus": 16}
    return pool(**{**given, "purchase": ["reserved"], "reservations": [{"id": ID}], **overrides})


def said(**overrides: Any) -> list[str]:
    return [str(warning) for warning in find_warnings(config(**overrides), TODAY)]


def test_a_used_reservation_without_end_is_no_news() -> None:
    assert said(reservations=[reservation()], pools=[training()]) == []


def test_an_undeclared_reservation_is_refused() -> None:
    assert problems(pools=[training()]) == [
        f"pools.0.reservations.0.id: '{ID}' is not declared under reservations (there are: none)"
    ]


def test_the_zone_of_a_reservation_must_be_among_the_pools() -> None:
    found = problems(reservations=[reservation()], pools=[training(zones=["us-east-1b"])])
    assert found == [
        f"pools.0.reservations.0: {ID} is in us-east-1a, the pool launches in us-east-1b: add the zone",
    ]


def test_the_type_of_a_reservation_must_be_among_the_pools() -> None:
    found = problems(reservations=[reservation(instanceType="p5.4xlarge")], pools=[training()])
    assert found == [
        f"pools.0.reservations.0: {ID} reserves p5.4xlarge, which the pool does not use: add the type",
    ]


def test_a_reservation_that_no_pool_selects_is_paid_and_idle() -> None:
    (warning,) = said(reservations=[reservation()])
    assert warning == f"reservations.0: no pool uses {ID}: 2 × p5.48xlarge would be paid and idle"


def test_a_reservation_larger_than_the_pools_ceiling_is_partly_idle() -> None:
    (warning,) = said(reservations=[reservation(instances=4)], pools=[training()])
    assert "it holds 32 GPUs, pool main takes at most 16" in warning


def test_tags_select_reservations_that_carry_all_of_them() -> None:
    tagged = reservation(tags={"team": "ml", "use": "train"})
    assert said(reservations=[tagged], pools=[training(reservations=[{"tags": {"team": "ml"}}])]) == []
    (problem,) = problems(reservations=[tagged], pools=[training(reservations=[{"tags": {"team": "web"}}])])
    assert problem.startswith(
        "pools.0.reservations.0.tags: no reservation declared under reservations carries these tags"
    )


@pytest.mark.parametrize(
    ("ends", "expire", "words"),
    [
        ("2026-12-01", "336h", "it ends on 2026-12-01, before nodes of main expire"),
        ("2026-12-05", "336h", None),
        ("2030-01-01", "Never", "then main can launch nothing"),
        ("2026-11-01", "336h", "it ended on 2026-11-01"),
    ],
)
def test_an_end_before_nodes_expire_is_said(ends: str, expire: str, words: str | None) -> None:
    found = said(reservations=[reservation(ends=ends)], pools=[training(disruption={"expireAfter": expire})])
    assert (found == []) if words is None else words in found[0]


def test_a_private_api_in_a_vpc_that_is_not_there_cannot_be_reached() -> None:
    private = cluster(api={"access": "private", "allowedCidrs": ["10.8.0.0/16"]})
    (warning,) = said(cluster=private)
    assert warning.startswith("cluster.api: nobody can reach a private API")
    subnets = [{"id": f"subnet-0a1b2c3{zone}", "zone": f"us-east-1{zone}"} for zone in "ab"]
    assert said(cluster=private, network={"mode": "existing", "vpcId": "vpc-0a1b2c3d", "subnets": subnets}) == []


@pytest.mark.parametrize(
    ("types", "zones", "words"),
    [
        (["g6.xlarge"], 4, "1 type × 4 zones = 4 spot offerings"),
        (["g6.xlarge"], 5, None),
        (["g6.xlarge", "g6.2xlarge"], 2, "add types g6.4xlarge"),
        (["g6.xlarge", "g6.2xlarge", "g6.4xlarge"], 2, None),
    ],
)
def test_few_spot_offerings_are_said_with_what_to_add(types: list[str], zones: int, words: str | None) -> None:
    where = network(zones=[f"us-east-1{letter}" for letter in "abcdef"[:zones]])
    found = said(network=where, pools=[pool(instanceTypes=types, purchase=["spot", "on-demand"])])
    assert (found == []) if words is None else words in found[0]


def test_training_on_spot_needs_checkpoints() -> None:
    spot = pool(purpose="training", purchase=["spot", "on-demand"])
    (problem,) = problems(pools=[spot])
    assert problem.startswith("pools.0.purchase: spot can end a training run")
    assert problems(pools=[{**spot, "checkpointed": True}]) == []


def test_a_ceiling_that_nodes_cannot_fill_is_said() -> None:
    (warning,) = said(pools=[pool(instanceTypes=["p5.48xlarge"], maxGpus=20)])
    assert warning == "pools.0.maxGpus: nodes hold 8 GPUs each: only 16 of 20 can ever run"


def spanning(**overrides: Any) -> dict[str, Any]:
    given: dict[str, Any] = {"instanceTypes": ["p5.48xlarge"], "zones": ["us-east-1a"], "multiNode": {}, "maxGpus": 16}
    return pool(**{**given, **overrides})


@pytest.mark.parametrize(
    ("overrides", "words"),
    [
        ({"instanceTypes": ["p5.48xlarge", "p5.4xlarge"]}, "multiNode: EFA interfaces are laid out per type"),
        ({"instanceTypes": ["g6.xlarge"]}, "multiNode: g6.xlarge has no EFA"),
        ({"zones": ["us-east-1a", "us-east-1b"]}, "zones: a placement group lies in one zone"),
        ({"zones": None}, "zones: a placement group lies in one zone"),
        ({"sharing": {"mode": "mig", "profile": "1g.10gb"}}, "sharing: jobs that span nodes take whole GPUs"),
        (
            {"instanceTypes": ["p5en.48xlarge"], "multiNode": {"hugepages": True}},
            "multiNode.hugepages: nobody has reported",
        ),
    ],
)
def test_a_job_on_several_nodes_needs_one_type_one_zone_and_whole_gpus(overrides: dict[str, Any], words: str) -> None:
    assert problems(pools=[spanning()]) == []
    (problem,) = problems(pools=[spanning(**overrides)])
    assert problem.startswith(f"pools.0.{words}")


def test_a_subnet_too_small_for_the_ceiling_is_refused() -> None:
    small = network(cidr="10.40.0.0/20")
    (problem,) = problems(network=small, pools=[spanning(maxGpus=48)])
    assert "48 GPUs need 600 addresses in us-east-1a, its subnet has 507" in problem
    assert problems(network=small, pools=[spanning(maxGpus=40)]) == []


def test_shared_gpus_without_overlays_need_static_nodes() -> None:
    shared = pool(instanceTypes=["g6.xlarge"], sharing={"mode": "time-slicing", "replicas": 4}, maxGpus=2)
    without = cluster(nodeOverlays=False)
    (problem,) = problems(cluster=without, pools=[shared])
    assert problem.startswith("pools.0.staticNodes: Karpenter learns only from a NodeOverlay")
    assert problems(cluster=without, pools=[{**shared, "staticNodes": 2, "zones": ["us-east-1a"]}]) == []
    assert problems(cluster=without, pools=[pool()]) == []


@pytest.mark.parametrize(
    ("overrides", "words"),
    [
        ({"maxGpus": 3}, "maxGpus: 2 static nodes hold 2 GPUs, not 3; write 2"),
        ({"purchase": ["spot", "on-demand"]}, "purchase: a managed node group buys in one way"),
        ({"zones": None}, "zones: name the zones of static nodes"),
        ({"ami": {"family": "bottlerocket"}}, "ami: static nodes run the AL2023 release"),
        ({"instanceTypes": ["g6.xlarge", "g6.12xlarge"], "maxGpus": 8}, "staticNodes: static nodes must be alike"),
    ],
)
def test_static_nodes_are_alike_and_bought_in_one_way(overrides: dict[str, Any], words: str) -> None:
    static = {"instanceTypes": ["g6.xlarge"], "maxGpus": 2, "staticNodes": 2, "zones": ["us-east-1a"]}
    assert problems(pools=[pool(**static)]) == []
    (problem,) = problems(pools=[pool(**{**static, **overrides})])
    assert problem.startswith(f"pools.0.{words}")


def test_repair_that_may_be_hasty_is_warned_of() -> None:
    found = [line for line in said(cluster=cluster(nodeRepair=True)) if "cluster.nodeRepair" in line]
    assert len(found) == 1 and "issue 266" in found[0] and not said(cluster=cluster(nodeRepair=False))
