"""A file is refused once, with everything that is wrong in it, so that it is mended once."""

from pathlib import Path
from typing import Any

import pytest

from gpu_blueprint.errors import StackError
from gpu_blueprint.loading import load, parse
from gpu_blueprint.loading.stack_file import open_stack

from ..support.builders import cluster, config, network, pool, problems, role, stack, tenant
from ..support.plans import ROOT
from .test_stack_file import TODAY

AWAITED = "one problem hides another"


def fields(**overrides: Any) -> list[str]:
    """The fields at which ``stack(**overrides)`` is refused, in alphabetical order."""
    return sorted(line.split(": ")[0] for line in problems(**overrides))


def in_file(text: str, folder: Path) -> list[str]:
    """The lines that a file with this text is refused with, without its name."""
    file = folder / "Pulumi.test.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(StackError) as caught:
        load("test", folder)
    return [str(problem).removeprefix(f"{file.as_posix()}:") for problem in caught.value.problems]


def test_a_stack_of_the_builders_has_no_problem() -> None:
    assert problems() == []
    assert problems(pools=[pool(instanceTypes=["p5.48xlarge"])], tenants=[tenant()]) == []


def test_a_wrong_shape_hides_nothing_in_other_parts() -> None:
    found = fields(
        owner=4711,
        network=network(cidr="10.40.0.0/24"),
        cluster=cluster(viewers=[role("platform")], systemNodes={"instanceTypes": ["m7i.large", "m7g.large"]}),
        pools=[pool(gpu="gb200"), pool(name="other", purchase=["on-demand", "spot"])],
        tenants=[tenant(name="kube-system")],
    )
    assert found == [
        "cluster.systemNodes.instanceTypes",
        "cluster.viewers.0",
        "network.cidr",
        "owner",
        "pools.0.gpu",
        "pools.1.purchase",
        "tenants.0.name",
    ]


def test_a_wrong_shape_in_one_pool_hides_nothing_in_the_others() -> None:
    pools = [
        pool(name="first", maxGpus=0),
        pool(name="second", gpu="h100-80gb", sharing={"mode": "mig", "layout": {"1g.10gb": 8}}),
        pool(name="third", sharing={"mode": "mig"}),
        pool(name="fourth", capacity="spot"),
    ]
    assert fields(pools=pools) == [
        "pools.0.maxGpus",
        "pools.1.sharing.layout",
        "pools.2.sharing",
        "pools.2.sharing.mode",
        "pools.3.capacity",
    ]


def test_every_wrong_field_of_one_pool_is_named() -> None:
    wrong = pool(
        purpose="training",
        instanceTypes=["p5.48xlarge", "p5en.48xlarge", "m7g.large"],
        maxGpus=4,
        sharing={"mode": "mig"},
    )
    assert fields(pools=[wrong]) == ["pools.0.instanceTypes.2"], "the other types are judged once all are GPU types"
    wrong["instanceTypes"].pop()
    disruption = {"consolidationPolicy": "Balanced", "budgets": [{"nodes": "110%"}, {"nodes": "1", "duration": "8h"}]}
    assert fields(pools=[wrong | {"ami": {"version": "latest"}, "disruption": disruption}]) == [
        "pools.0.ami.version",
        "pools.0.disruption.budgets.0.nodes",
        "pools.0.disruption.budgets.1",
        "pools.0.disruption.consolidationPolicy",
        "pools.0.instanceTypes.0",
        "pools.0.instanceTypes.1",
        "pools.0.instanceTypes.1",
        "pools.0.sharing",
    ]


def test_parts_that_do_not_fit_each_other_are_all_named() -> None:
    found = fields(
        network=network(cidr="172.20.0.0/16", zones=["us-east-1a", "us-west-2a"]),
        pools=[pool(zones=["us-east-1c"]), pool(gpu="a10g"), pool(name="other", instanceTypes=["p4de.24xlarge"])],
        tenants=[tenant(gpus={}), tenant(gpus={}, name="other", namespace="team"), tenant(gpus={}, namespace="own")],
    )
    assert found == [
        "network.cidr",
        "network.zones.1",
        "pools.0.zones.0",
        "pools.1.name",
        "tenants.1.namespace",
        "tenants.2.name",
    ]


def test_every_quota_that_cannot_be_reached_is_named() -> None:
    teams = [
        tenant(gpus={"main": 9, "mian": 1}),
        tenant(name="other", gpus={"main": {"1g.10gb": 1}}),
    ]
    assert fields(tenants=teams, network=network(zones=["us-east-1a", "us-west-2a"])) == [
        "network.zones.1",
        "tenants.0.gpus.main",
        "tenants.0.gpus.mian",
        "tenants.1.gpus.main.1g.10gb",
    ]


MESS = """\
config:
  kubernetes:context: test
  gpu-blueprint:stack:
    owner: {secure: AAAB}
    environment: Test
    costCenter: ml
    costCenter: 0x11
    accountId: "1"
    network: {mode: new, cidr: 10.0.0.0/8, zones: [us-east-1a, us-east-1b]}
    cluster: {api: {access: open}, admins: []}
    pools:
      - {name: main, purpose: batch, gpu: l4, purchase: [on-demand, spot], maxGpus: 8, maxGpu: 9}
      - {name: other, purpose: batch, gpu: gb200, purchase: [spot], maxGpus: 8}
stack: other
"""


def test_the_file_around_the_object_and_the_object_are_refused_together_in_the_order_of_lines(tmp_path: Path) -> None:
    assert [line.split(": ")[:2] for line in in_file(MESS, tmp_path)] == [
        ["1", "config.pulumi:disable-default-providers"],
        ["1", "config.aws:region"],
        ["2", "config.kubernetes:context"],
        ["4", "owner"],
        ["5", "environment"],
        ["6", "costCenter"],
        ["8", "accountId"],
        ["9", "network.cidr"],
        ["10", "cluster.api"],
        ["10", "cluster.admins"],
        ["12", "pools.0.maxGpu"],
        ["13", "pools.1.gpu"],
        ["14", "stack"],
    ]


def test_no_problem_is_told_twice(tmp_path: Path) -> None:
    found = in_file(MESS, tmp_path)
    assert len(set(found)) == len(found)


def test_two_problems_of_one_field_are_both_told(tmp_path: Path) -> None:
    text = (ROOT / "tests/configs/bad/Pulumi.vpc-too-small.yaml").read_text(encoding="utf-8")
    found = in_file(text.replace("10.40.0.0/22", "8.8.0.0/22"), tmp_path)
    assert [("/22" in line, "of your own" in line) for line in found] == [(True, False), (True, True)]


def test_two_warnings_of_one_field_are_both_told(tmp_path: Path) -> None:
    text = (ROOT / "tests/configs/good/Pulumi.static-nodes.yaml").read_text(encoding="utf-8")
    start = text.index("      - name: main")
    end = text.index("    tenants:")
    more = [text[start:end].replace("main", name) for name in ("second", "third")]
    (tmp_path / "Pulumi.test.yaml").write_text(text[:end] + "".join(more) + text[end:], encoding="utf-8")
    told = [warning.message for warning in open_stack("test", tmp_path).warnings(TODAY)]
    assert [name for name in ("second", "third") if any(f"quota for {name}" in line for line in told)] == [
        "second",
        "third",
    ]


def test_a_quota_is_judged_although_another_pool_is_wrong() -> None:
    pools = [pool(), pool(name="other", gpu="gb200")]
    assert fields(pools=pools, tenants=[tenant(gpus={"mian": 4})]) == ["pools.1.gpu", "tenants.0.gpus.mian"]


def test_what_parts_must_agree_on_is_judged_although_a_tag_has_the_wrong_shape() -> None:
    found = fields(owner=4711, network=network(cidr="172.20.0.0/16"), pools=[pool(), pool()])
    assert found == ["network.cidr", "owner", "pools.1.name"]


def test_a_region_inside_the_object_hides_nothing() -> None:
    with pytest.raises(StackError) as caught:
        parse(stack(owner="") | {"region": "us-east-1"}, "us-east-1")
    assert sorted(str(problem.path[0]) for problem in caught.value.problems) == ["owner", "region"]


def test_a_stack_that_is_no_mapping_is_refused() -> None:
    with pytest.raises(StackError):
        parse(["pools"], "us-east-1")


def test_a_number_for_a_text_is_told_as_pulumi_read_it() -> None:
    assert problems(costCenter=4711) == ['costCenter: got the number 4711; quote it: "4711"']


def test_a_config_may_not_be_changed() -> None:
    with pytest.raises(ValueError, match="frozen"):
        config().owner = "other"  # type: ignore[misc]


def test_a_problem_of_a_field_that_is_left_to_its_default_hides_no_other() -> None:
    """m7i.large, the default of system nodes, is not offered there."""
    told = problems("me-south-1", pools=[pool(gpu="t4")], tenants=[tenant(gpus={"mian": 1})])
    assert [line.split(":")[0] for line in told] == ["cluster.systemNodes.instanceTypes", "tenants.0.gpus.mian"]
