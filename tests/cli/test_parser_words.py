"""A program behind two dashes, and the words that a command does not know."""

import pytest

from gpu_blueprint.cli import main
from gpu_blueprint.cli.parser import build_parser

JOB = ["job", "runs", "fast", "--tenant", "red"]


def refuse(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """Return the text that refuses a command line."""
    with pytest.raises(SystemExit) as ended:
        main([*words])
    assert ended.value.code == 2
    return capsys.readouterr().err


@pytest.mark.parametrize(
    ("behind", "program"),
    [
        (["--", "torchrun", "t.py", "--nodes", "x", "--help"], ["torchrun", "t.py", "--nodes", "x", "--help"]),
        (["--", "a", "--", "b"], ["a", "--", "b"]),
        (["--", ""], [""]),
        (["--"], []),
        ([], []),
    ],
)
def test_the_words_behind_the_dashes_are_the_program(behind: list[str], program: list[str]) -> None:
    found = build_parser().parse_args([*JOB, "--env", "A=1", *behind])
    assert (found.words, found.env, found.pool) == (program, ["A=1"], "fast")


def test_a_second_command_line_does_not_know_the_first() -> None:
    parser = build_parser()
    for words in (["--", "a"], ["--", "b"], []):
        assert parser.parse_args([*JOB, *words]).words == words[1:]


def test_the_usage_shows_where_the_program_stands(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["job", "--help"])
    assert "STACK POOL [-- PROGRAM ...]\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--tenant", "red", "--", "a", "b"], "the following arguments are required: STACK, POOL"),
        (["runs", "fast", "--tenant", "red", "--lr", "3"], "blueprint job knows no --lr 3: write the program with its"),
        (["runs", "fast", "--tenant", "red", "--chekpoints", "x"], "knows no --chekpoints x: did you mean --checkpoi"),
        (["runs", "fast", "--tenant", "red", "a", "--lr"], "knows no a --lr: write the program with its arguments"),
        (["runs", "fast", "--tenant", "red", "--nodes", "two"], "--nodes: 'two' is no whole number; write 1, 2 or"),
        (["runs", "fast", "--tenant", "red", "--level", "4"], "'4' is no level; write 1, 2 or 3 (level 4 needs root"),
    ],
    ids=" ".join,
)
def test_a_mistake_is_told_in_one_line(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = refuse(capsys, "job", *words)
    assert said in text and text.endswith("; blueprint job --help shows all words\n") and text.count("\n") == 1


def test_a_command_that_is_not_there_is_answered_with_the_closest(capsys: pytest.CaptureFixture[str]) -> None:
    assert refuse(capsys, "jobs").endswith("error: there is no command 'jobs'; did you mean job?\n")
    assert "choose from advise, changes" in refuse(capsys, "frobnicate")


def test_commands_without_a_program_keep_their_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert refuse(capsys, "mig").startswith("usage: blueprint mig")
