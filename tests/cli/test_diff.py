"""The command `diff`."""

from pathlib import Path

import pytest
from rich.console import Console

from gpu_blueprint.cli import main
from gpu_blueprint.cli.text.diff import Difference, show


def test_diff_shows_only_the_fields_that_differ(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", "dev", "prod"]) == 0
    out = capsys.readouterr().out
    assert "cluster.deletionProtection" in out
    assert "cluster.serviceCidr" not in out
    assert main(["diff", "dev", "dev"]) == 0
    assert capsys.readouterr().out.startswith("0 fields differ")


def test_diff_shows_the_cpu_pool_that_the_platform_makes(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = project / "stacks" / "Pulumi.dev.yaml"
    stated = "    pools:\n      - {name: prep, purpose: cpu, maxCpus: 64}\n"
    (project / "stacks" / "Pulumi.prep.yaml").write_text(file.read_text().replace("    pools:\n", stated))
    assert main(["diff", "dev", "prep"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "pools.cpu.maxCpus 8 –" in out and "pools.prep.maxCpus – 64" in out


def test_diff_does_not_break_a_name(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", "dev", "prod"]) == 0
    out = capsys.readouterr().out
    assert "\ncluster.admins\n  dev   arn:aws:iam::100200300401:role/platform-admin\n" in out
    assert max(len(line) for line in out.splitlines()) <= 80


@pytest.mark.parametrize("terminal", [40, 60, 80, 200])
def test_diff_fits_the_terminal_and_80_columns(
    terminal: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("gpu_blueprint.cli.text.diff.make_console", lambda: Console(width=terminal))
    differences = [
        Difference("pools." + "p" * 60 + ".disruption.terminationGracePeriod", "1h", "2h"),
        Difference("cluster.secretsKey", None, "arn:aws:kms:us-east-1:111122223333:key/" + "0123456789abcdef" * 8),
        Difference("tags.team", "ml", "a sentence of many words that a person has written about the team " * 3),
        Difference("environment", "dev", "prod"),
    ]
    for names in (("dev", "prod"), ("d" * 100, "p" * 100)):
        show(names, differences, 3)
        lines = capsys.readouterr().out.splitlines()
        assert max(map(len, lines)) <= min(terminal, 80)
        assert lines[-1] == "4 fields differ, 3 are the same."
        assert "".join(lines).replace(" ", "").count("0123456789abcdef" * 8) == 1
