"""The mirror of a stack file is an allowed registry, and no other registry is; the pack and the plan agree."""

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from gpu_blueprint.files.loading import open_stack, parse
from gpu_blueprint.judging.levels import find_levels_file, read_levels
from gpu_blueprint.judging.report import judge_stack, name_mirror
from gpu_blueprint.judging.verdicts import judge_plan
from gpu_blueprint.plan import record
from policies.mirrors import read_mirror

from ..support import builders
from ..support.plans import STACKS, plan_of
from ..support.policy_engine import running_pack

PROD = read_levels(find_levels_file("prod"))
PLACE = "registry.example.com:8443/gpu"
RULE = "chart-registry-allowed"


@pytest.mark.parametrize(("stated", "allowed"), [(PLACE, True), ("registry.example.com:8443/gp", False), ("", False)])
def test_charts_may_come_from_the_mirror_that_the_stack_states(stated: str, allowed: bool) -> None:
    planned = plan_of(builders.stack(images={"mirror": PLACE}))
    found = judge_plan(planned, PROD, (), date.today(), mirror=stated)
    assert {finding.verdict.rule for finding in found} == (set() if allowed else {RULE})
    with running_pack(config={"gpu-blueprint:stack": json.dumps({"images": {"mirror": stated}})}) as pack:
        pack.configure(PROD)
        assert {verdict.rule for verdict in pack.verdicts(planned)} == (set() if allowed else {RULE})


def test_registries_of_the_environment_stay_beside_the_mirror() -> None:
    planned = plan_of(builders.stack(images={"mirror": PLACE}))
    for registries in (["oci://none/"], ["oci://registry.example.com:8443/gpu/"]):
        found = judge_plan(planned, {RULE: {"registries": registries}}, (), date.today(), mirror=PLACE)
        assert {finding.verdict.rule for finding in found} == set()
    found = judge_plan(plan_of(builders.stack()), {RULE: {"registries": ["oci://none/"]}}, mirror=PLACE)
    assert {finding.verdict.rule for finding in found} == {RULE}
    assert judge_plan(plan_of(builders.stack()), PROD, (), date.today(), mirror=PLACE) == []


def test_the_judgement_of_a_stack_file_knows_its_mirror(tmp_path: Path) -> None:
    text = (STACKS / "Pulumi.dev.yaml").read_text()
    mirror = f"    images: {{mirror: {PLACE}}}\n"
    (tmp_path / "Pulumi.dev.yaml").write_text(text.replace("    tenants:\n", f"{mirror}    tenants:\n"))
    stack = open_stack("dev", tmp_path)
    found = judge_stack(stack, record("dev", stack.source.config))
    assert [problem for problem in found if problem.kind == RULE] == []


@pytest.mark.parametrize("stack", [None, "text", [], {}, {"images": None}, {"images": []}, {"images": {"mirror": 5}}])
def test_a_program_without_a_mirror_allows_none(stack: Any) -> None:
    assert read_mirror(stack) == ""


def test_both_readers_of_the_mirror_agree() -> None:
    for images in ({"mirror": PLACE}, {"allowed": ["docker.io"]}):
        stack = builders.stack(images=images)
        assert read_mirror(stack) == name_mirror(parse(stack, builders.REGION))
