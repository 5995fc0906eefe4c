"""The list of stacks that have a role: for a deployment, and for the search for drift."""

import json
from pathlib import Path
from typing import Any

import pytest

from ..support.programs import needs_jq
from ..support.workflow_runs import Ran, Runner, make_runner

pytestmark = needs_jq

BACKEND = {"PULUMI_BACKEND_URL": "s3://state"}


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    text = 'config:\n  aws:region: {}\n  pulumi:disable-default-providers: ["*"]\n'
    regions = {"dev": "us-east-1", "prod": '"eu-west-1" # Dublin', "team-a.eu": "eu-central-1", "alpha": "us-west-2"}
    return make_runner(tmp_path, {stack: text.format(region) for stack, region in regions.items()})


def list_stacks(
    runner: Runner, variables: Any, order: str = "dev research prod", role: str = "AWS_ROLE"
) -> tuple[Ran, Any]:
    ran = runner.run("stacks/list", "List", {"ROLE": role, "VARIABLES": json.dumps(variables), "ORDER": order})
    assert ran.code == 0, ran.printed
    return ran, json.loads(ran.outputs["stacks"])


def test_a_stack_without_a_role_is_left_out_in_one_line(runner: Runner) -> None:
    ran, found = list_stacks(runner, {**BACKEND, "AWS_ROLE_DEV": "arn:dev", "AWS_ROLE_ALPHA": ""})
    assert found == [{"stack": "dev", "region": "us-east-1", "role": "arn:dev"}]
    lines = ran.summary.splitlines()
    assert len(lines) == 3 and all("is left out: the repository variable AWS_ROLE_" in line for line in lines)
    assert "prod is left out: the repository variable AWS_ROLE_PROD is not set (docs/ci.md)." in lines
    assert f"::notice::{lines[0]}" in ran.printed


@pytest.mark.parametrize("variables", [None, {}, {"AWS_ROLE_DEV": "arn:dev"}])
def test_without_a_place_for_the_state_nothing_is_built_and_one_line_says_so(runner: Runner, variables: Any) -> None:
    ran, found = list_stacks(runner, variables)
    assert found == [] and len(ran.summary.splitlines()) == 1 and "PULUMI_BACKEND_URL is not set" in ran.summary


ALL = {**BACKEND, **{f"AWS_ROLE_{name}": f"arn:{name}" for name in ("DEV", "PROD", "TEAM_A_EU", "ALPHA")}}


@pytest.mark.parametrize(
    ("order", "wanted"),
    [
        ("dev research prod", ["alpha", "team-a.eu", "dev", "prod"]),
        ("prod dev", ["alpha", "team-a.eu", "prod", "dev"]),
        ("team-a.eu  alpha", ["dev", "prod", "team-a.eu", "alpha"]),
        ("nothing", ["alpha", "dev", "prod", "team-a.eu"]),
        ("de", ["alpha", "dev", "prod", "team-a.eu"]),
    ],
)
def test_stacks_come_in_the_stated_order_and_unnamed_stacks_before_them(
    runner: Runner, order: str, wanted: list[str]
) -> None:
    _, found = list_stacks(runner, ALL, order)
    assert [entry["stack"] for entry in found] == wanted
    assert {entry["region"] for entry in found} == {"us-east-1", "us-west-2", "eu-west-1", "eu-central-1"}


def test_the_role_that_looks_for_drift_is_another_role(runner: Runner) -> None:
    variables = {**ALL, "AWS_DRIFT_ROLE_PROD": "arn:reader"}
    _, found = list_stacks(runner, variables, role="AWS_DRIFT_ROLE")
    assert found == [{"stack": "prod", "region": "eu-west-1", "role": "arn:reader"}]


@pytest.mark.parametrize("other", ["team.a-eu", "Team-a.eu"])
def test_two_stacks_with_one_variable_are_refused_since_both_would_get_its_role(runner: Runner, other: str) -> None:
    (runner.repository / "stacks" / f"Pulumi.{other}.yaml").write_text("config:\n  aws:region: us-east-1\n")
    env = {"ROLE": "AWS_ROLE", "VARIABLES": json.dumps(ALL), "ORDER": "dev prod"}
    refused = runner.run("stacks/list", "List", env)
    assert refused.code == 1 and "stacks" not in refused.outputs
    assert "team-a.eu" in refused.printed and other in refused.printed
    assert "share the variable AWS_ROLE_TEAM_A_EU" in refused.printed
    assert runner.run("stacks/list", "List", {**env, "VARIABLES": "{}"}).code == 0
