"""The command `mig`."""

import pytest

from gpu_blueprint.cli import main


def test_mig_lists_profiles_and_every_full_layout(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mig", "h100-80gb"]) == 0
    out = capsys.readouterr().out
    assert "nvidia.com/mig-1g.10gb.me" in out
    assert sum(line.startswith("  ") and "×" in line for line in out.splitlines()) == 28


@pytest.mark.parametrize(
    ("layout", "code", "words"),
    [
        ("3g.71gb=1,1g.18gb=4", 0, "legal: h200-141gb holds 1 × 3g.71gb + 4 × 1g.18gb; left over: nothing"),
        ("3g.71gb=1", 0, "left over: 1 × 4g.71gb or 1 × 3g.71gb or "),
        ("3g.71gb=2,1g.18gb=1", 1, "9 of 8 memory slices"),
        ("1g.10gb=1", 1, "did you mean 1g.18gb"),
        ("1g.18gb", 2, "is not a profile and its count"),
        ("1g.18gb=0", 2, "is not a profile and its count"),
        (f"1g.18gb={'9' * 5000}", 2, "is not a profile and its count"),
    ],
)
def test_mig_judges_a_layout(layout: str, code: int, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mig", "h200-141gb", layout]) == code
    captured = capsys.readouterr()
    assert words in captured.out + captured.err


def test_an_unknown_gpu_is_a_wrong_call(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mig", "H100-80GB"]) == 2
    assert "did you mean h100-80gb?" in capsys.readouterr().err


def test_mig_refuses_a_gpu_without_mig(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mig", "l4"]) == 1
    assert "l4 has no MIG" in capsys.readouterr().err
