"""A deployment after a merge, with recorded programs in place of Pulumi."""

from pathlib import Path

import pytest

from ..support.programs import needs_jq
from ..support.workflow_runs import Ran, Runner, commit, make_runner
from .test_workflows import list_steps, list_uses

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


def ask_for_main(runner: Runner, answer: str) -> Ran:
    runner.write_program("curl", f"{answer}\n")
    env = {"GH_TOKEN": "t", "NEWEST": "https://api.github.com/repos/o/r/commits/main"}
    return runner.run("deploy/up", "Refuse a commit", env)


def test_only_the_newest_commit_of_main_is_built(runner: Runner) -> None:
    """A repeated run has the commit of its first time, and would take back what was merged since."""
    old = runner.git("rev-parse", "HEAD")
    assert ask_for_main(runner, f"echo {old}").code == 0
    assert runner.calls[-1].endswith("https://api.github.com/repos/o/r/commits/main")
    (runner.repository / "stacks" / "Pulumi.dev.yaml").write_text("# merged since\n")
    newest = commit(runner, "merged since")
    runner.git("checkout", "-q", old)
    refused = ask_for_main(runner, f"echo {newest}")
    assert refused.code == 1 and f"this run has the commit {old}, and main is at {newest}" in refused.printed


@pytest.mark.parametrize("answer", ["exit 22", "true"])
def test_without_an_answer_about_main_nothing_is_built(runner: Runner, answer: str) -> None:
    assert ask_for_main(runner, answer).code != 0


def test_the_commit_is_compared_with_main_before_the_job_has_credentials() -> None:
    steps = list_steps("deploy/up")
    (check,) = [index for index, step in enumerate(steps) if step.get("name", "").startswith("Refuse a commit")]
    (credentials,) = list_uses("aws-actions/configure-aws-credentials", "deploy/up")
    assert check < steps.index(credentials)
