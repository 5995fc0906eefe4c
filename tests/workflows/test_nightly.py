"""The issue about the nightly tests: opened when they fail, closed when all pass again."""

from pathlib import Path

import pytest

from ..support.programs import needs_jq
from ..support.workflow_runs import Runner, find_step, make_runner

pytestmark = needs_jq

TITLE = find_step("nightly/tell", None)["env"]["TITLE"]
BOT = {"login": "github-actions[bot]"}
OURS = {"number": 5, "title": TITLE, "user": BOT}
OPEN = f"POST repos/o/r/issues --field title={TITLE} --field body=@body"
UPDATE = "PATCH repos/o/r/issues/5 --field body=@body"


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    return make_runner(tmp_path, {})


def tell(runner: Runner, deep: str, lab: str, *issues: dict[str, object]) -> list[str]:
    """Return what the job writes to GitHub, in order."""
    runner.answer(issues)
    env = {"GH_TOKEN": "t", "ISSUES": "repos/o/r/issues", "RUN": "https://run/1", "DEEP": deep, "LAB": lab}
    ran = runner.run("nightly/tell", env=env)
    assert ran.code == 0, ran.printed
    return [call.split(" --method ")[1] for call in runner.calls if " --method " in call]


@pytest.mark.parametrize("result", ["failure", "cancelled", "skipped"])
def test_a_job_that_does_not_pass_opens_an_issue(runner: Runner, result: str) -> None:
    assert tell(runner, "success", result) == [OPEN]
    assert "`make test-deep`: success" in runner.sent and f"`make test-lab`: {result}" in runner.sent
    assert "https://run/1" in runner.sent


def test_the_open_issue_is_updated_and_no_other(runner: Runner) -> None:
    others = {"number": 3, "title": f"{TITLE}!", "user": BOT}, {"number": 4, "title": TITLE, "pull_request": {}}
    assert tell(runner, "failure", "success", *others, OURS) == [UPDATE]


def test_the_issue_is_closed_when_all_pass_again(runner: Runner) -> None:
    comment, closing = tell(runner, "success", "success", OURS)
    assert comment.startswith("POST repos/o/r/issues/5/comments") and "All tests pass again" in runner.sent
    assert closing == "PATCH repos/o/r/issues/5 --field state=closed"


def test_nothing_is_written_while_all_pass(runner: Runner) -> None:
    assert tell(runner, "success", "success") == []
