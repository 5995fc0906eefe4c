"""What the GPU Operator is told: to run on every node, to share as the pools say, and to leave alone what is not its own."""

import json
from datetime import date
from typing import Any

import pytest
import yaml

from gpu_blueprint.checks.capacity import capacity_warnings

from ...support import builders
from ...support.plans import SHIPPED, Plan, one, plan, plan_of, some

EVERYTHING = [{"operator": "Exists"}]
BOTTLEROCKET = {"family": "bottlerocket"}
A100 = {"gpu": "a100-80gb", "maxGpus": 8}
H100 = {"gpu": "h100-80gb", "maxGpus": 8}
OFF = "nvidia.com/gpu.deploy.operands"


def mig(profile: str, **more: Any) -> dict[str, Any]:
    return {"sharing": {"mode": "mig", "profile": profile, **more}}


def rendered(*pools: dict[str, Any], **stack: Any) -> Plan:
    named = [builders.pool(name=f"pool-{index}", **one) for index, one in enumerate(pools)]
    return plan_of(builders.stack(pools=named, **stack))


def values(planned: Plan) -> dict[str, Any]:
    found: dict[str, Any] = one(planned, "Release", "-gpu-operator-").inputs["values"]
    return found


def plugin_configs(planned: Plan) -> dict[str, Any]:
    return {name: yaml.safe_load(text) for name, text in values(planned)["devicePlugin"]["config"]["data"].items()}


def mig_configs(planned: Plan) -> dict[str, Any]:
    (text,) = values(planned)["migManager"]["config"]["data"].values()
    found: dict[str, Any] = yaml.safe_load(text)["mig-configs"]
    return found


def node_labels(planned: Plan) -> list[dict[str, str]]:
    dynamic = [found.inputs["spec"]["template"]["metadata"]["labels"] for found in some(planned, "NodePool")]
    return dynamic + [found.inputs["labels"] for found in some(planned, "NodeGroup") if "labels" in found.inputs]


def labelled(planned: Plan, label: str) -> set[str]:
    return {labels[label] for labels in node_labels(planned) if label in labels}


def many_ways() -> Plan:
    """Every way of sharing on AL2023, with one pool twice, one on Bottlerocket and one of fixed size."""
    layout = {"3g.40gb": 1, "1g.10gb": 4}
    return rendered(
        {},
        {"sharing": {"mode": "time-slicing", "replicas": 4}},
        {"sharing": {"mode": "time-slicing", "replicas": 4}, "gpu": "a10g"},
        {"sharing": {"mode": "mps", "replicas": 4}},
        {"sharing": {"mode": "mps", "replicas": 9}, "ami": BOTTLEROCKET},
        {**H100, **mig("1g.10gb")},
        {**H100, **mig("2g.20gb", replicas=2)},
        {**H100, "sharing": {"mode": "mig", "layout": layout}},
        {"gpu": "rtx-pro-6000-96gb", **mig("1g.24gb+gfx")},
        {"instanceTypes": ["p5.4xlarge"], "zones": ["us-east-1a"], "staticNodes": 2, "maxGpus": 2, **mig("7g.80gb")},
    )


@pytest.mark.parametrize("stack", SHIPPED)
def test_everything_of_the_operator_runs_on_tainted_nodes(stack: str) -> None:
    """Feature discovery is a chart of its own and does not take the tolerations of the others."""
    assert values(plan(stack))["daemonsets"]["tolerations"] == EVERYTHING
    assert values(plan(stack))["node-feature-discovery"]["worker"]["tolerations"] == EVERYTHING


@pytest.mark.parametrize("stack", SHIPPED)
def test_driver_and_toolkit_are_the_images_own(stack: str) -> None:
    assert values(plan(stack))["driver"] == {"enabled": False}
    assert values(plan(stack))["toolkit"] == {"enabled": False}


@pytest.mark.parametrize("stack", SHIPPED)
def test_instances_have_names_of_their_own(stack: str) -> None:
    """With "single", the chart's default, a slice would be called nvidia.com/gpu."""
    assert values(plan(stack))["mig"] == {"strategy": "mixed"}


def test_each_plugin_config_that_a_node_asks_for_is_there_and_no_other() -> None:
    asked = labelled(many_ways(), "nvidia.com/device-plugin.config")
    config = values(many_ways())["devicePlugin"]["config"]
    assert len(asked) == 3
    assert set(config["data"]) == {*asked, "none"}
    assert (config["create"], config["default"]) == (True, "none")


def test_each_mig_config_that_a_node_asks_for_is_there_and_no_other() -> None:
    asked = labelled(many_ways(), "nvidia.com/mig.config")
    assert len(asked) == 5
    assert set(mig_configs(many_ways())) == {*asked, "all-disabled"}


@pytest.mark.parametrize("stack", SHIPPED)
def test_shipped_stacks_agree_with_their_nodes_too(stack: str) -> None:
    asked = labelled(plan(stack), "nvidia.com/device-plugin.config")
    assert set(plugin_configs(plan(stack))) == {*asked, "none"}
    asked = labelled(plan(stack), "nvidia.com/mig.config")
    assert bool(asked) == values(plan(stack))["migManager"]["enabled"] == (stack == "research")
    assert not asked or set(mig_configs(plan(stack))) == {*asked, "all-disabled"}


def test_a_mig_config_of_our_own_still_knows_how_to_switch_mig_off() -> None:
    """It replaces the generated ones, and the operator asks for all-disabled wherever the label is missing."""
    planned = rendered({**H100, **mig("1g.10gb")})
    assert mig_configs(planned)["all-disabled"] == [{"devices": "all", "mig-enabled": False}]
    assert set(values(planned)["migManager"]["config"]["data"]) == {"config.yaml"}


def test_a_mig_config_cuts_every_gpu_alike() -> None:
    (name,) = labelled(rendered({**H100, **mig("1g.10gb")}), "nvidia.com/mig.config")
    cut = {"devices": "all", "mig-enabled": True, "mig-devices": {"1g.10gb": 7}}
    assert mig_configs(rendered({**H100, **mig("1g.10gb")}))[name] == [cut]


@pytest.mark.parametrize(
    ("sharing", "how", "resource"),
    [
        ({"mode": "time-slicing", "replicas": 4}, "timeSlicing", "nvidia.com/gpu"),
        ({"mode": "mps", "replicas": 4}, "mps", "nvidia.com/gpu"),
        ({"mode": "mig", "profile": "1g.10gb", "replicas": 4}, "timeSlicing", "nvidia.com/mig-1g.10gb"),
    ],
)
def test_a_plugin_config_shares_under_a_name_of_its_own(sharing: dict[str, Any], how: str, resource: str) -> None:
    (config,) = [
        found for name, found in plugin_configs(rendered({**H100, "sharing": sharing})).items() if name != "none"
    ]
    assert set(config["sharing"]) == {how}
    assert config["sharing"][how]["renameByDefault"] is True
    assert config["sharing"][how]["failRequestsGreaterThanOne"] is True
    assert config["sharing"][how]["resources"] == [{"name": resource, "replicas": 4}]


def test_nodes_without_a_label_share_nothing() -> None:
    assert plugin_configs(rendered({})) == {"none": {"version": "v1"}}


@pytest.mark.parametrize(
    ("pools", "reboot"),
    [
        ([{**A100, **mig("1g.10gb")}], "true"),
        ([{**H100, **mig("1g.10gb")}, {**A100, **mig("1g.10gb")}], "true"),
        ([{**H100, **mig("1g.10gb")}], "false"),
        ([{**H100, **mig("1g.10gb")}, A100], "false"),
        ([{**H100, **mig("1g.10gb")}, {**A100, **mig("1g.10gb"), "ami": BOTTLEROCKET}], "false"),
    ],
)
def test_nodes_reboot_only_where_an_a100_is_cut(pools: list[dict[str, Any]], reboot: str) -> None:
    env = values(rendered(*pools))["migManager"]["env"]
    assert env == [{"name": "WITH_REBOOT", "value": reboot}]


def test_without_mig_there_is_no_mig_manager() -> None:
    assert values(rendered({}, A100))["migManager"] == {"enabled": False}


def test_without_al2023_there_is_no_operator() -> None:
    sliced = {**H100, **mig("1g.10gb"), "ami": BOTTLEROCKET, "taints": [{"key": "example.com/slices"}]}
    planned = rendered({"ami": BOTTLEROCKET}, sliced)
    assert some(planned, "Release", "gpu-operator") == some(planned, "GpuOperator") == []
    assert {found.inputs["metadata"]["name"] for found in some(planned, "Namespace")} == set()


def test_the_operator_stays_off_bottlerocket_nodes_only() -> None:
    planned = rendered({}, {"ami": BOTTLEROCKET}, {"ami": BOTTLEROCKET, "sharing": {"mode": "mps", "replicas": 2}})
    assert [labels.get(OFF) for labels in node_labels(planned)] == [None, "false", "false"]


def monitoring(planned: Plan) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(one(planned, "Addon", "node-monitoring").inputs["configurationValues"])
    return found


def engines_of(planned: Plan, labels: dict[str, str]) -> list[str]:
    """Which DCGM host engines run on a node with these labels: pods of their own, and the one inside dcgm-exporter."""
    engines = []
    if some(planned, "GpuOperator") and labels.get(OFF) != "false":
        told = [item["name"] for item in values(planned)["dcgmExporter"].get("env", [])]
        if values(planned)["dcgm"]["enabled"]:
            engines.append("operator")
        elif "DCGM_REMOTE_HOSTENGINE_INFO" not in told:
            engines.append("exporter")
    agent = monitoring(planned)["dcgmAgent"]
    selector = agent.get("nodeSelector", {})
    if agent["enabled"] and agent["tolerations"] == EVERYTHING and selector.items() <= labels.items():
        engines.append("agent")
    return engines


@pytest.mark.parametrize(
    "planned",
    [
        *(pytest.param(lambda stack=stack: plan(stack), id=stack) for stack in SHIPPED),
        pytest.param(many_ways, id="both"),
        pytest.param(lambda: rendered({}), id="AL2023 alone"),
        pytest.param(lambda: rendered({"ami": BOTTLEROCKET}), id="Bottlerocket alone"),
    ],
)
def test_exactly_one_dcgm_engine_runs_on_each_gpu_node(planned: Any) -> None:
    nodes = node_labels(planned())
    assert nodes
    for labels in nodes:
        alike = not any(other.get(OFF) == "false" for other in nodes)
        assert engines_of(planned(), labels) == (["operator"] if alike else ["agent"])


def test_the_agent_finds_the_operators_engine_through_its_service() -> None:
    agent = monitoring(rendered({}))["nodeAgent"]
    assert agent["dcgmAddress"].startswith("nvidia-dcgm.gpu-operator.svc")
    assert agent["dnsPolicy"] == "ClusterFirstWithHostNet"


def test_overrides_are_laid_over_and_leave_the_rest() -> None:
    overrides = {
        "gpuOperator": {"dcgmExporter": {"serviceMonitor": {"enabled": True}}, "daemonsets": {"tolerations": []}}
    }
    found = values(rendered({}, helmOverrides=overrides))
    assert found["dcgmExporter"] == {"enabled": True, "serviceMonitor": {"enabled": True}}
    assert found["daemonsets"] == {"tolerations": []}
    assert found["mig"] == {"strategy": "mixed"}


MIXED_ARM: tuple[dict[str, Any], ...] = ({"gpu": "t4g"}, {"ami": BOTTLEROCKET})


def test_the_exporter_reaches_the_agents_engine_at_the_nodes_own_port_where_there_is_one() -> None:
    engine = {"name": "DCGM_REMOTE_HOSTENGINE_INFO", "value": "localhost:5555"}
    assert engine in values(rendered({}, {"ami": BOTTLEROCKET}))["dcgmExporter"]["env"]
    for pools in ((dict[str, Any](),), MIXED_ARM):
        assert engine not in values(rendered(*pools))["dcgmExporter"].get("env", [])


def test_gpus_that_nothing_watches_are_warned_of() -> None:
    pools = [builders.pool(**{"name": f"p{index}", **pool}) for index, pool in enumerate(MIXED_ARM)]
    told = [str(problem) for problem in capacity_warnings(builders.config(pools=pools), date(2026, 11, 20))]
    assert any("no DCGM engine for arm64" in line for line in told)


@pytest.mark.parametrize("repair", [True, False])
def test_managed_nodes_are_repaired_by_eks_where_karpenters_are_by_karpenter(repair: bool) -> None:
    static = {"instanceTypes": ["g6.xlarge"], "zones": ["us-east-1a"], "staticNodes": 2, "maxGpus": 2}
    planned = rendered(static, cluster=builders.cluster(nodeRepair=repair))
    groups = some(planned, "NodeGroup")
    assert [found.inputs.get("nodeRepairConfig") for found in groups] == [{"enabled": True} if repair else None] * 2
    gates = one(planned, "Release", "-karpenter-controller").inputs["values"]["settings"]["featureGates"]
    assert gates["nodeRepair"] is repair
