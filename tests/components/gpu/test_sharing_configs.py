"""The ConfigMaps for the GPU Operator of a cluster that exists."""

from typing import Any

import pytest
import yaml

from gpu_blueprint.sharing.operator_configs import MIG_CONFIG_MAP, PLUGIN_CONFIG_MAP

from ...support.builders import existing_cluster, pool, stack
from ...support.plans import find_resource, find_resources, plan_of

MIG = pool(gpu="h100-80gb", purpose="training", sharing={"mode": "mig", "profile": "1g.10gb"})
SLICED = pool(sharing={"mode": "time-slicing", "replicas": 4})


def read(name: str, *pools: dict[str, Any]) -> dict[str, Any]:
    planned = plan_of(stack(**existing_cluster(), pools=list(pools)))
    found = find_resource(planned, "ConfigMap", name)
    assert found.inputs["metadata"] == {"name": name, "namespace": "gpu-operator"}
    return {key: yaml.safe_load(text) for key, text in found.inputs["data"].items()}


@pytest.mark.parametrize("shared", [MIG, SLICED])
def test_the_label_of_the_nodes_names_a_config_of_the_device_plugin(shared: dict[str, Any]) -> None:
    planned = plan_of(stack(**existing_cluster(), pools=[shared]))
    template = find_resource(planned, "NodePool", "main").inputs["spec"]["template"]
    label = template["metadata"]["labels"].get("nvidia.com/device-plugin.config", "none")
    assert label in read(PLUGIN_CONFIG_MAP, shared)


def test_the_label_of_the_nodes_names_a_layout_of_the_mig_manager() -> None:
    planned = plan_of(stack(**existing_cluster(), pools=[MIG]))
    template = find_resource(planned, "NodePool", "main").inputs["spec"]["template"]
    layouts = read(MIG_CONFIG_MAP, MIG)["config.yaml"]["mig-configs"]
    assert template["metadata"]["labels"]["nvidia.com/mig.config"] in layouts
    assert layouts["all-disabled"] == [{"devices": "all", "mig-enabled": False}]


def test_pools_without_slices_need_no_layouts() -> None:
    planned = plan_of(stack(**existing_cluster(), pools=[SLICED]))
    assert not [
        found for found in find_resources(planned, "ConfigMap") if found.inputs["metadata"]["name"] == MIG_CONFIG_MAP
    ]


def test_an_operator_of_ours_gets_the_same_files_in_its_values() -> None:
    planned = plan_of(stack(**existing_cluster(gpuOperator="install"), pools=[MIG]))
    values = find_resource(planned, "Release", "gpu-operator").inputs["values"]
    assert (
        yaml.safe_load(values["migManager"]["config"]["data"]["config.yaml"])
        == read(MIG_CONFIG_MAP, MIG)["config.yaml"]
    )
    assert {key: yaml.safe_load(text) for key, text in values["devicePlugin"]["config"]["data"].items()} == read(
        PLUGIN_CONFIG_MAP, MIG
    )


def test_the_config_maps_are_in_the_namespace_of_the_owners_operator() -> None:
    planned = plan_of(stack(**existing_cluster(gpuOperatorNamespace="nvidia"), pools=[MIG]))
    maps = [found.inputs["metadata"] for found in find_resources(planned, "ConfigMap", "gpu-blueprint-")]
    places = {found["name"]: found["namespace"] for found in maps}
    assert (places[PLUGIN_CONFIG_MAP], places[MIG_CONFIG_MAP]) == ("nvidia", "nvidia")
