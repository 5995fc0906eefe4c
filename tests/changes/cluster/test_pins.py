"""The programs of a stack are the charts, the add-ons and the nodes of its plan."""

from pathlib import Path

import pytest

from gpu_blueprint.changes.cluster.pins import list_programs

from ...support.plans import FILES, config_of_file, find_resources, plan_file


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_the_programs_of_a_stack_are_those_of_its_plan(file: Path) -> None:
    planned = plan_file(file)
    charts = {found.inputs["name"]: found.inputs["version"] for found in find_resources(planned, "Release")}
    charts.pop("karpenter-crd", None)
    addons = {found.inputs["addonName"]: found.inputs["addonVersion"] for found in find_resources(planned, "Addon")}
    groups = {found.inputs["releaseVersion"] for found in find_resources(planned, "NodeGroup")}
    programs = list_programs(config_of_file(file))
    names = {"node-local-dns", "nodes"}
    assert {version for name, version in programs.items() if name == "nodes"} == groups
    assert {name: version for name, version in programs.items() if name not in names} == charts | addons
