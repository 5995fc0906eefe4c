"""The table of models that `cost` shows."""

import json
import re
from pathlib import Path

import pytest

from gpu_blueprint.cli import main
from gpu_blueprint.cli.text.cost_tables import list_model_rows
from gpu_blueprint.cost.estimate import estimate_stack

from ..support.served_stack import chat, ranking, serve, write_served_stack


def test_a_model_has_a_row_and_each_of_its_versions_too() -> None:
    stack = serve(chat(version="1", next={"version": "2", "share": 0.25}, tokensPerSecond=2400), ranking())
    rows = list(list_model_rows(estimate_stack(stack)))
    assert [row[:2] for row in rows] == [
        ("chat", "2 / 8 / 12"),
        ("· chat-1", "1 / 5.8 / 9"),
        ("· chat-2", "1 / 2.2 / 3"),
        ("ranking", "2 / 8 / 8"),
    ]
    assert rows[0][-1].startswith("tokens\n$0.") and rows[1][-1] == "" and rows[3][-1] == "not stated"


def test_an_unknown_price_is_called_unknown() -> None:
    stack = serve(ranking(requestsPerSecond=9)).model_copy(update={"region": "eu-north-9"})
    (row,) = list_model_rows(estimate_stack(stack))
    assert row[2:] == (*["unknown"] * 6, "requests\nunknown\nto unknown")


@pytest.mark.parametrize("flags", [[], ["--format", "markdown"]])
def test_the_command_prints_the_table(
    flags: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_served_stack(tmp_path, chat(tokensPerSecond=2400), ranking())
    monkeypatch.chdir(tmp_path)
    assert main(["cost", "served", *flags]) == 0
    out = capsys.readouterr().out
    assert "Models: min and expected replicas at the capacity types, max on demand; a million at full load" in out
    (row,) = [line for line in out.splitlines() if "2 / 8 / 12" in line]
    assert len(re.findall(r"\$[\d.,]+", row.replace("\\", ""))) >= 6
    assert flags or max(map(len, out.splitlines())) <= 100


def test_the_document_has_the_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_served_stack(tmp_path, chat(tokensPerSecond=2400))
    monkeypatch.chdir(tmp_path)
    assert main(["cost", "served", "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["models"]
    assert found["replicas"] == {"min": 2, "expected": 8.0, "max": 12}
    assert found["floor"]["hour"] < found["expected"]["hour"] < found["ceiling"]["hour"]
    assert found["perMillion"]["unit"] == "tokens" and 0 < found["perMillion"]["asBought"] < 1


def test_a_stack_without_models_has_no_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_served_stack(tmp_path, models=[])
    monkeypatch.chdir(tmp_path)
    assert main(["cost", "served"]) == 0
    assert "Models" not in capsys.readouterr().out
