"""A report as a comment on a pull request: GitHub refuses comments that are longer than its limit."""

from pathlib import Path

import pytest

from tools.cut_comment import MOST, cut, main

RUN = "https://github.com/o/r/actions/runs/1"
ROW = "| pool | g6.xlarge | spot → on-demand | ≤ \\$13.67/h |\n"


@pytest.mark.parametrize("report", ["", ROW, "x" * MOST])
def test_a_report_that_fits_stays_as_it_is(report: str) -> None:
    assert cut(report, RUN) == report


@pytest.mark.parametrize(
    "report",
    [ROW * 5000, "x" * (MOST + 1), "😀" * (MOST + 1), "\n" * (MOST + 1), f"{ROW * 1300}{'y' * MOST}"],
    ids=["rows", "one line", "emoji", "empty lines", "a long last line"],
)
def test_a_long_report_is_cut_and_points_to_the_whole(report: str) -> None:
    comment = cut(report, RUN)
    kept, pointer = comment.split("\n**The report has ")
    assert len(comment) <= MOST and report.startswith(kept)
    assert len(kept) > MOST - 500 or kept == ROW * 1300 or kept.endswith(ROW)
    assert f"[this run]({RUN})" in pointer


def test_no_row_of_a_table_is_cut() -> None:
    kept, _ = cut(ROW * 5000, RUN).split("\n**The report has 5000 lines")
    assert set(kept.splitlines(keepends=True)) == {ROW}


def test_the_command_prints_the_comment(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = tmp_path / "report.md"
    report.write_text(ROW * 5000, encoding="utf-8")
    assert main([str(report), "--whole", RUN]) == 0
    assert capsys.readouterr().out == cut(ROW * 5000, RUN)
