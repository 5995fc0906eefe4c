"""The versions that only a newer blueprint moves."""

import pytest

from gpu_blueprint.upgrades.pins import list_pins

from ..support import builders
from ..support.plans import SHIPPED, find_resources, plan, plan_of, shipped_config


@pytest.mark.parametrize("stack", SHIPPED)
def test_the_pins_are_the_charts_and_add_ons_of_the_plan(stack: str) -> None:
    pins = list_pins(shipped_config(stack))
    charts = {
        found.inputs["name"]: found.inputs["version"]
        for found in find_resources(plan(stack), "Release")
        if "karpenter" not in found.inputs["chart"]
    }
    addons = {found.inputs["addonName"]: found.inputs["addonVersion"] for found in find_resources(plan(stack), "Addon")}
    systems = ("Kubernetes", "Karpenter", "AMI of")
    assert {name: pin for name, pin in pins.items() if not name.startswith(systems)} == charts | addons


def test_a_stack_with_efa_has_the_pin_of_its_plugin() -> None:
    pool = builders.pool(instanceTypes=["p5.48xlarge"], zones=["us-east-1a"], multiNode={})
    assert "aws-efa-k8s-device-plugin" in list_pins(builders.config(pools=[pool]))
    releases = find_resources(plan_of(builders.stack(pools=[pool])), "Release")
    assert "aws-efa-k8s-device-plugin" in {found.inputs["chart"] for found in releases}


def test_a_version_that_the_file_states_is_no_pin_of_the_blueprint() -> None:
    silent = list_pins(builders.config())
    assert (silent["Kubernetes"], silent["Karpenter"], silent["AMI of AL2023"]) == ("1.36", "1.14.1", "v20260923")
    cluster = builders.cluster(kubernetesVersion="1.36", karpenterVersion="1.14.1")
    stated = builders.config(
        cluster=cluster,
        pools=[
            builders.pool(ami={"family": "al2023", "version": "v20260923"}),
            builders.cpu_pool(ami={"family": "bottlerocket"}),
        ],
    )
    assert list_pins(stated).keys() & {"Kubernetes", "Karpenter", "AMI of AL2023"} == set()
    assert list_pins(stated)["AMI of Bottlerocket"] == "v1.67.0"
