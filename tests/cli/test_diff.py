"""The command `diff`."""

from pathlib import Path

import pytest

from gpu_blueprint.cli import main


def test_diff_shows_only_the_fields_that_differ(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", "dev", "prod"]) == 0
    out = capsys.readouterr().out
    assert "cluster.deletionProtection" in out
    assert "cluster.serviceCidr" not in out
    assert main(["diff", "dev", "dev"]) == 0
    assert capsys.readouterr().out.startswith("0 fields differ")


def test_diff_does_not_break_a_name(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", "dev", "prod"]) == 0
    out = capsys.readouterr().out
    assert "\ncluster.admins\n  dev   arn:aws:iam::100200300401:role/platform-admin\n" in out
    assert max(len(line) for line in out.splitlines()) <= 100
