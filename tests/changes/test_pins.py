"""The programs of a stack are the charts, the add-ons and the nodes of its plan."""

from pathlib import Path

import pytest
import yaml

from gpu_blueprint.changes.pins import list_programs
from gpu_blueprint.keys import REGION_KEY, STACK_KEY
from gpu_blueprint.loading import parse

from ..support.plans import ROOT, STACKS, find_resources, plan_of

FILES = [*sorted(STACKS.glob("*.yaml")), *sorted((ROOT / "tests" / "configs" / "good").glob("*.yaml"))]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_the_programs_of_a_stack_are_those_of_its_plan(file: Path) -> None:
    section = yaml.safe_load(file.read_text(encoding="utf-8"))["config"]
    planned = plan_of(section[STACK_KEY], section[REGION_KEY])
    charts = {found.inputs["name"]: found.inputs["version"] for found in find_resources(planned, "Release")}
    charts.pop("karpenter-crd", None)
    addons = {found.inputs["addonName"]: found.inputs["addonVersion"] for found in find_resources(planned, "Addon")}
    groups = {found.inputs["releaseVersion"] for found in find_resources(planned, "NodeGroup")}
    programs = list_programs(parse(section[STACK_KEY], section[REGION_KEY]))
    names = {"node-local-dns", "nodes"}
    assert {version for name, version in programs.items() if name == "nodes"} == groups
    assert {name: version for name, version in programs.items() if name not in names} == charts | addons
