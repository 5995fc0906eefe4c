"""A deployment after a merge, with recorded programs in place of Pulumi."""

from pathlib import Path

import pytest

from ..support.programs import needs_jq
from ..support.workflow_runs import Ran, Runner, make_runner

pytestmark = needs_jq


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    made = make_runner(tmp_path, {"dev": "\n", "broken": "# broken\n"})
    made.write_program("pulumi", 'exit "${PULUMI:-0}"\n')
    return made


def build(runner: Runner, stack: str, **more: str) -> Ran:
    env = {"STACK": stack, "PULUMI_BACKEND_URL": "s3://state"}
    return runner.run("deploy/up", "Build what", env, **more)


def test_a_stack_is_refreshed_and_built_under_the_levels_of_its_environment(runner: Runner) -> None:
    (runner.repository / "policies").mkdir()
    (runner.repository / "policies" / "dev.json").write_text("{}")
    assert build(runner, "dev").code == 0 and build(runner, "staging").code == 0
    own, strictest = runner.calls
    for call in (own, strictest):
        assert call.startswith("pulumi up --stack ") and " --refresh --yes --non-interactive --suppress-outputs" in call
        assert "--skip-preview" not in call and "--policy-pack policies" in call
    assert own.endswith("policies/dev.json") and strictest.endswith("policies/prod.json")


def test_a_build_that_fails_fails_the_job(runner: Runner) -> None:
    assert build(runner, "dev", PULUMI="255").code == 255


def test_a_broken_stack_file_ends_the_job_before_it_has_credentials(runner: Runner) -> None:
    assert runner.run("deploy/up", "Check the stack file", {"STACK": "dev"}).code == 0
    assert runner.run("deploy/up", "Check the stack file", {"STACK": "broken"}).code == 1
