"""The GPU Operator's values: it runs on every GPU node, shares as the pools say, and leaves other parts alone."""

from typing import Any

import pytest
import yaml

from ...support.operator_plans import (
    A100,
    BOTTLEROCKET,
    H100,
    OPERANDS_LABEL,
    TOLERATE_EVERYTHING,
    find_operator_values,
    list_node_labels,
    mig,
    plan_of_every_sharing,
    plan_of_pools,
)
from ...support.plans import SHIPPED, Plan, plan, some


def plugin_configs(planned: Plan) -> dict[str, Any]:
    return {
        name: yaml.safe_load(text)
        for name, text in find_operator_values(planned)["devicePlugin"]["config"]["data"].items()
    }


def mig_configs(planned: Plan) -> dict[str, Any]:
    (text,) = find_operator_values(planned)["migManager"]["config"]["data"].values()
    found: dict[str, Any] = yaml.safe_load(text)["mig-configs"]
    return found


def labelled(planned: Plan, label: str) -> set[str]:
    return {labels[label] for labels in list_node_labels(planned) if label in labels}


@pytest.mark.parametrize("stack", SHIPPED)
def test_everything_of_the_operator_runs_on_tainted_nodes(stack: str) -> None:
    """Feature discovery is a chart of its own and does not take the tolerations of the others."""
    assert find_operator_values(plan(stack))["daemonsets"]["tolerations"] == TOLERATE_EVERYTHING
    assert find_operator_values(plan(stack))["node-feature-discovery"]["worker"]["tolerations"] == TOLERATE_EVERYTHING


@pytest.mark.parametrize("stack", SHIPPED)
def test_driver_and_toolkit_are_the_images_own(stack: str) -> None:
    assert find_operator_values(plan(stack))["driver"] == {"enabled": False}
    assert find_operator_values(plan(stack))["toolkit"] == {"enabled": False}


@pytest.mark.parametrize("stack", SHIPPED)
def test_instances_have_names_of_their_own(stack: str) -> None:
    """With "single", the chart's default, a slice would be called nvidia.com/gpu."""
    assert find_operator_values(plan(stack))["mig"] == {"strategy": "mixed"}


def test_each_plugin_config_that_a_node_asks_for_is_there_and_no_other() -> None:
    asked = labelled(plan_of_every_sharing(), "nvidia.com/device-plugin.config")
    config = find_operator_values(plan_of_every_sharing())["devicePlugin"]["config"]
    assert len(asked) == 3
    assert set(config["data"]) == {*asked, "none"}
    assert (config["create"], config["default"]) == (True, "none")


def test_each_mig_config_that_a_node_asks_for_is_there_and_no_other() -> None:
    asked = labelled(plan_of_every_sharing(), "nvidia.com/mig.config")
    assert len(asked) == 5
    assert set(mig_configs(plan_of_every_sharing())) == {*asked, "all-disabled"}


@pytest.mark.parametrize("stack", SHIPPED)
def test_shipped_stacks_agree_with_their_nodes_too(stack: str) -> None:
    asked = labelled(plan(stack), "nvidia.com/device-plugin.config")
    assert set(plugin_configs(plan(stack))) == {*asked, "none"}
    asked = labelled(plan(stack), "nvidia.com/mig.config")
    assert bool(asked) == find_operator_values(plan(stack))["migManager"]["enabled"] == (stack == "research")
    assert not asked or set(mig_configs(plan(stack))) == {*asked, "all-disabled"}


def test_a_mig_config_of_our_own_still_knows_how_to_switch_mig_off() -> None:
    """It replaces the generated ones, and the operator asks for all-disabled wherever the label is missing."""
    planned = plan_of_pools({**H100, **mig("1g.10gb")})
    assert mig_configs(planned)["all-disabled"] == [{"devices": "all", "mig-enabled": False}]
    assert set(find_operator_values(planned)["migManager"]["config"]["data"]) == {"config.yaml"}


def test_a_mig_config_cuts_every_gpu_alike() -> None:
    (name,) = labelled(plan_of_pools({**H100, **mig("1g.10gb")}), "nvidia.com/mig.config")
    cut = {"devices": "all", "mig-enabled": True, "mig-devices": {"1g.10gb": 7}}
    assert mig_configs(plan_of_pools({**H100, **mig("1g.10gb")}))[name] == [cut]


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
        found for name, found in plugin_configs(plan_of_pools({**H100, "sharing": sharing})).items() if name != "none"
    ]
    assert set(config["sharing"]) == {how}
    assert config["sharing"][how]["renameByDefault"] is True
    assert config["sharing"][how]["failRequestsGreaterThanOne"] is True
    assert config["sharing"][how]["resources"] == [{"name": resource, "replicas": 4}]


def test_nodes_without_a_label_share_nothing() -> None:
    assert plugin_configs(plan_of_pools({})) == {"none": {"version": "v1"}}


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
    env = find_operator_values(plan_of_pools(*pools))["migManager"]["env"]
    assert env == [{"name": "WITH_REBOOT", "value": reboot}]


def test_without_mig_there_is_no_mig_manager() -> None:
    assert find_operator_values(plan_of_pools({}, A100))["migManager"] == {"enabled": False}


def test_without_al2023_there_is_no_operator() -> None:
    sliced = {**H100, **mig("1g.10gb"), "ami": BOTTLEROCKET, "taints": [{"key": "example.com/slices"}]}
    planned = plan_of_pools({"ami": BOTTLEROCKET}, sliced)
    assert some(planned, "Release", "gpu-operator") == some(planned, "GpuOperator") == []
    assert {found.inputs["metadata"]["name"] for found in some(planned, "Namespace")} == set()


def test_the_operator_stays_off_bottlerocket_nodes_only() -> None:
    planned = plan_of_pools({}, {"ami": BOTTLEROCKET}, {"ami": BOTTLEROCKET, "sharing": {"mode": "mps", "replicas": 2}})
    assert [labels.get(OPERANDS_LABEL) for labels in list_node_labels(planned)] == [None, "false", "false"]


def test_overrides_are_laid_over_and_leave_the_rest() -> None:
    overrides = {
        "gpuOperator": {"dcgmExporter": {"serviceMonitor": {"enabled": True}}, "daemonsets": {"tolerations": []}}
    }
    found = find_operator_values(plan_of_pools({}, helmOverrides=overrides))
    assert found["dcgmExporter"] == {"enabled": True, "serviceMonitor": {"enabled": True}}
    assert found["daemonsets"] == {"tolerations": []}
    assert found["mig"] == {"strategy": "mixed"}
