"""The workflow of pull requests: who may write, which code runs, and what actionlint says."""

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from lab.engines import find_engine

from ..support.plans import ROOT

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.y*ml"))
PINNED = re.compile(r"[\w.-]+(/[\w.-]+)+@[0-9a-f]{40} # v\d+\.\d+\.\d+")
SAME_REPOSITORY = "github.event.pull_request.head.repo.full_name == github.repository"
WRITES = {"show-problems": {"security-events"}, "comment": {"pull-requests"}}
"""Job → the permissions with which it writes."""


def read_workflow() -> dict[str, Any]:
    (file,) = WORKFLOWS
    document: dict[str, Any] = yaml.load(file.read_text(), Loader=yaml.BaseLoader)
    return document


JOBS: dict[str, Any] = read_workflow()["jobs"]


def list_steps(job: str, action: str) -> list[dict[str, Any]]:
    return [step for step in JOBS[job]["steps"] if step.get("uses", "").startswith(f"{action}@")]


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.name)
def test_every_action_is_pinned_by_its_commit_and_names_its_version(file: Path) -> None:
    used = re.findall(r"uses: *(.+?) *$", file.read_text(), re.MULTILINE)
    assert used and [action for action in used if not PINNED.fullmatch(action)] == []
    pins = {("/".join(action.split("/")[:2]).split("@")[0], action.split("@")[1]) for action in used}
    assert len(pins) == len({repository for repository, _ in pins}), "an action has two versions"


def test_no_code_of_a_fork_meets_a_token_that_writes_or_a_secret() -> None:
    text = WORKFLOWS[0].read_text()
    assert set(read_workflow()["on"]) == {"pull_request", "push"}
    assert "secrets." not in text and "pull_request_target" not in read_workflow()["on"]
    assert read_workflow()["permissions"] == {}
    for name, job in JOBS.items():
        writes = {right for right, level in job["permissions"].items() if level != "read"}
        assert writes == WRITES.get(name, set()), name
        if writes:
            assert SAME_REPOSITORY in job["if"]
            assert not any(word in str(job["steps"]) for word in ("make ", ".venv", "python", "tools."))


def test_no_checkout_leaves_its_token_behind() -> None:
    checkouts = [step for name in JOBS for step in list_steps(name, "actions/checkout")]
    assert len(checkouts) >= 4
    assert {step["with"]["persist-credentials"] for step in checkouts} == {"false"}


def test_no_shell_reads_a_text_of_the_pull_request_as_code() -> None:
    scripts = [step["run"] for job in JOBS.values() for step in job["steps"] if "run" in step]
    assert scripts and not any("${{" in script for script in scripts)


def test_the_report_reaches_people_also_where_no_comment_is_allowed() -> None:
    assert "GITHUB_STEP_SUMMARY" in str(JOBS["stacks"]["steps"])
    (upload,) = list_steps("stacks", "actions/upload-artifact")
    downloads = [step for name in WRITES for step in list_steps(name, "actions/download-artifact")]
    assert [step["with"]["name"] for step in downloads] == [upload["with"]["name"]] * 2


def test_every_job_ends_by_itself() -> None:
    assert [name for name, job in JOBS.items() if not 0 < int(job.get("timeout-minutes", 0)) <= 90] == []


def test_every_job_that_installs_packages_keeps_them_for_the_next_run() -> None:
    for step in (step for name in JOBS for step in list_steps(name, "actions/setup-python")):
        assert step["with"]["cache"] == "pip"
        patterns = step["with"]["cache-dependency-path"].splitlines()
        assert all([*ROOT.glob(pattern)] for pattern in patterns)


def lint(file: Path) -> subprocess.CompletedProcess[str]:
    # Programs that a machine may have, or not, must not change the verdict.
    command = [str(find_engine("actionlint")), "-shellcheck=", "-pyflakes=", "-no-color", str(file)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.lab
@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.name)
def test_actionlint_finds_nothing(file: Path) -> None:
    found = lint(file)
    assert (found.returncode, found.stdout) == (0, "")


@pytest.mark.lab
def test_actionlint_sees_a_wrong_workflow(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.yml"
    wrong.write_text(WORKFLOWS[0].read_text().replace("runs-on: ubuntu-latest", "run-on: ubuntu-latest", 1))
    found = lint(wrong)
    assert found.returncode == 1 and '"runs-on" section is missing' in found.stdout
