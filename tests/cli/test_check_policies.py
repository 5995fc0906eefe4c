"""Policies on the command line: levels, waivers, places, and formats for machines."""

import json
import shutil
from datetime import date
from pathlib import Path

import pytest

from gpu_blueprint.cli import main
from gpu_blueprint.judging.report import placed, waivers_of
from gpu_blueprint.judging.verdicts import findings, levels_file, read_levels
from gpu_blueprint.loading import open_stack
from gpu_blueprint.plan import record

from ..support.plans import ROOT

WAIVER = """\
    waivers:
      - rule: deletion-protected
        resource: gpu-research-cluster-eks
        reason: torn down every night until the launch
        owner: research-computing
        until: {until}
"""


@pytest.fixture
def research(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The research stack without deletion protection, which its policies demand; returns its file."""
    shutil.copytree(ROOT / "stacks", tmp_path / "stacks")
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "stacks" / "Pulumi.research.yaml"
    file.write_text(file.read_text().replace("    cluster:\n", "    cluster:\n      deletionProtection: false\n"))
    return file


def line_of(file: Path, text: str) -> int:
    return next(number for number, line in enumerate(file.read_text().splitlines(), 1) if text in line)


def test_shipped_stacks_pass_their_own_levels(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    assert main(["check", "dev", "research", "prod", "--policies"]) == 0
    assert capsys.readouterr().out.count("all pass") == 3


def test_a_finding_stands_at_the_line_of_its_cause(research: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "research", "--policies"]) == 1
    out = capsys.readouterr().out
    line = line_of(research, "    cluster:")
    assert (
        f"stacks/Pulumi.research.yaml:{line}: fails: deletion-protected: gpu-research-cluster-eks can be deleted" in out
    )
    assert "set deletionProtection: true" in out


def test_preview_shows_findings_and_ends_as_pulumi_would(research: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["preview", "research"]) == 1
    assert "fails: deletion-protected" in capsys.readouterr().out
    assert main(["preview", "research", "--json"]) == 1
    (finding,) = json.loads(capsys.readouterr().out)["policies"]
    assert (finding["rule"], finding["counts"], finding["resource"]) == (
        "deletion-protected",
        "fails",
        "gpu-research-cluster-eks",
    )


def test_levels_of_another_file_count_instead(research: Path, capsys: pytest.CaptureFixture[str]) -> None:
    levels = research.parent.parent / "mine.json"
    levels.write_text('{"all": "mandatory", "deletion-protected": "advisory"}')
    assert main(["check", "research", "--policies", "--policy-config", str(levels)]) == 0
    assert "advisory: deletion-protected" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"deletion-protect": "advisory"}', "there is no rule 'deletion-protect' (did you mean deletion-protected?)"),
        ('{"deletion-protected": "perhaps"}', "'perhaps' is no level"),
        ("{", "cannot be read"),
    ],
)
def test_a_wrong_levels_file_ends_with_2(
    research: Path, text: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    levels = research.parent.parent / "mine.json"
    levels.write_text(text)
    assert main(["check", "research", "--policies", "--policy-config", str(levels)]) == 2
    assert words in capsys.readouterr().err


def test_sarif_names_rule_file_and_line(research: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "research", "--policies", "--format", "sarif"]) == 1
    (run,) = json.loads(capsys.readouterr().out)["runs"]
    (result,) = run["results"]
    assert (result["ruleId"], result["level"]) == ("deletion-protected", "error")
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "stacks/Pulumi.research.yaml"
    assert place["region"]["startLine"] == line_of(research, "    cluster:")
    assert "deletion-protected" in [rule["id"] for rule in run["tool"]["driver"]["rules"]]


def test_machine_formats_need_policies_and_one_stack(research: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "research", "--format", "json"]) == 2
    assert main(["check", "research", "dev", "--policies", "--format", "json"]) == 2


def judged(file: Path, waiver: str, today: date) -> list[str]:
    """How the findings count when the stack file also says so."""
    text = file.read_text()
    file.write_text(text.replace("    tenants:\n", f"{waiver}    tenants:\n"))
    stack = open_stack("research")
    plan = record("research", stack.source.config)
    found = findings(plan, read_levels(levels_file("research")), waivers_of(stack), today)
    return [
        f"{one.finding.word}: {one.finding.verdict.rule}: {one.finding.resource}" for one in placed(stack, plan, found)
    ]


def test_levels_without_judging_are_refused(research: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "research", "--policy-config", "dev.json"]) == 2
    assert "--policy-config needs --policies" in capsys.readouterr().err


def test_a_waiver_sets_one_finding_aside_until_its_last_day(research: Path) -> None:
    found = judged(research, WAIVER.format(until="2026-12-31"), date(2026, 12, 31))
    assert found == ["waived: deletion-protected: gpu-research-cluster-eks"]


def test_a_waiver_that_ended_fails_beside_what_it_waived(research: Path) -> None:
    found = judged(research, WAIVER.format(until="2026-12-31"), date(2027, 1, 1))
    assert found == [
        "fails: waiver-in-force: gpu-research-cluster-eks",
        "fails: deletion-protected: gpu-research-cluster-eks",
    ]


@pytest.mark.parametrize(("old", "new"), [("deletion-protected", "delete-it"), ("cluster-eks", "cluster-ekz")])
def test_a_waiver_of_nothing_fails(research: Path, old: str, new: str) -> None:
    found = judged(research, WAIVER.format(until="2026-12-31").replace(old, new), date(2026, 12, 1))
    assert found[0].startswith("fails: waiver-in-force")


def test_explain_prints_a_rule(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "no-gpu-in-limit-range"]) == 0
    out = capsys.readouterr().out
    assert "FAIL if one does." in out
    assert out.replace("\n", "  \n").count("  \n") >= 6
    page = (ROOT / "docs" / "policies.md").read_text()
    assert all(line in page for line in out.splitlines()[2:])


def test_explain_of_no_rule_names_the_near_miss(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "spot-divers"]) == 2
    assert "there is no policy rule and no alert 'spot-divers' (did you mean spot-diverse?)" in capsys.readouterr().err


def test_explain_prints_an_alert(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "GpuIdle"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("GpuIdle\n") and "1. Ask the team" in out and "gpu_pod:gpus:idle > 0" in out
