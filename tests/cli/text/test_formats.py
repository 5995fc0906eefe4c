"""Problems as text, JSON and Markdown."""

import pytest

from gpu_blueprint.cli.text.formats import (
    count_severities,
    escape_markdown,
    format_markdown_table,
    to_markdown,
    to_text,
)
from gpu_blueprint.problem import Problem

PROBLEM = Problem(
    "gpu-unknown",
    ("pools", 0, "gpu"),
    "there is no GPU model 'l4s'",
    "did you mean l4?",
    subject="pool main",
    file="stacks/Pulumi.dev.yaml",
    line=7,
)


def test_a_line_of_text_has_place_field_reason_remedy_and_kind() -> None:
    line = "stacks/Pulumi.dev.yaml:7: pools.0.gpu: there is no GPU model 'l4s'; did you mean l4? [gpu-unknown]"
    assert to_text(PROBLEM) == line


@pytest.mark.parametrize(
    ("problem", "line"),
    [
        (Problem("k", (), "it is wrong"), "it is wrong [k]"),
        (Problem("k", (), "it is wrong", file="a.yaml"), "a.yaml: it is wrong [k]"),
        (Problem("k", ("a",), "it is unwise", severity="warning"), "warning: a: it is unwise [k]"),
        (Problem("k", (), "it is so", severity="note", file="a.yaml", line=1), "a.yaml:1: note: it is so [k]"),
        (Problem("k", ("a\nb",), "it has\r\na break"), "a b: it has a break [k]"),
        (Problem("k", (), "it has \x1b[31mcolour"), "it has �[31mcolour [k]"),
    ],
)
def test_a_line_of_text_leaves_out_unknown_parts(problem: Problem, line: str) -> None:
    assert to_text(problem) == line


def test_json_has_every_fact() -> None:
    assert PROBLEM.as_json() == {
        "kind": "gpu-unknown",
        "severity": "error",
        "path": "pools.0.gpu",
        "subject": "pool main",
        "reason": "there is no GPU model 'l4s'",
        "hint": "did you mean l4?",
        "file": "stacks/Pulumi.dev.yaml",
        "line": 7,
    }


def test_markdown_is_a_sentence_and_a_table() -> None:
    assert to_markdown([PROBLEM], "dev") == (
        "**dev**: 1 error.\n"
        "\n"
        "| where | severity | kind | problem | remedy |\n"
        "| --- | --- | --- | --- | --- |\n"
        "| stacks/Pulumi.dev.yaml:7 | error | gpu-unknown "
        "| pool main<br>pools.0.gpu<br>there is no GPU model 'l4s' | did you mean l4? |\n"
    )


def test_markdown_without_problems_is_a_sentence() -> None:
    assert to_markdown([], "dev") == "**dev**: no problems.\n"


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("a|b", "a\\|b"),
        ("a\\|b", "a\\\\\\|b"),
        ("one\ntwo\r\n  three", "one<br>two<br>three"),
        ("`code` *bold* _thin_ [link](url)", "\\`code\\` \\*bold\\* \\_thin\\_ \\[link\\](url)"),
        ("<img src=x> & more", "\\<img src=x\\> \\& more"),
        ("$1 and $2", "\\$1 and \\$2"),
        ("ask @team, not gpu@example.com", "ask @<!-- -->team, not gpu@example.com"),
        ("closes #7", "closes \\#7"),
        ("a\tb\x1b[0m", "a b�\\[0m"),
    ],
)
def test_markdown_shows_any_text_as_it_is(text: str, escaped: str) -> None:
    assert escape_markdown(text) == escaped


def test_a_problem_with_pipes_and_line_breaks_stays_in_its_row() -> None:
    problem = Problem("k", ("a|b",), "first | line\nsecond line", "x\n|\ny", subject="pool | x")
    lines = to_markdown([problem], "a|b").splitlines()
    assert lines[0] == "**a\\|b**: 1 error."
    assert len(lines) == 5
    assert [line.replace("\\|", "").count("|") for line in lines[2:]] == [6, 6, 6]


def test_a_table_escapes_its_cells() -> None:
    assert format_markdown_table(("a", "b"), [("1|2", "3\n4")]) == "| a | b |\n| --- | --- |\n| 1\\|2 | 3<br>4 |\n"


def test_severities_are_counted_from_errors_to_notes() -> None:
    note, error = Problem("k", (), "r", severity="note"), Problem("k", (), "r")
    assert count_severities([note, error, error]) == "2 errors, 1 note"
