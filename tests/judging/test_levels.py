"""The levels of policy rules, as the Pulumi CLI reads them from the file of an environment."""

import json
from pathlib import Path
from typing import Any

import pytest

from gpu_blueprint.docs.policies_page import render_policies_page
from gpu_blueprint.errors import UsageError
from gpu_blueprint.judging.levels import choose_level, count_disabled, read_levels
from policies import RULES

(RULE,) = (rule for rule in RULES if rule.id == "disk-large-enough")
SIZE = {"minimumGib": 200}
LONG = {"enforcementLevel": "advisory"}


@pytest.mark.parametrize(
    ("levels", "level", "settings"),
    [
        ({}, "mandatory", {}),
        ({"all": {}}, "mandatory", {}),
        ({"all": "advisory"}, "advisory", {}),
        ({"all": LONG}, "advisory", {}),
        ({RULE.id: {}}, "mandatory", {}),
        ({RULE.id: SIZE}, "mandatory", SIZE),
        ({"all": {}, RULE.id: SIZE}, "mandatory", SIZE),
        ({"all": "advisory", RULE.id: SIZE}, "advisory", SIZE),
        ({"all": LONG, RULE.id: SIZE}, "advisory", SIZE),
        ({"all": LONG, RULE.id: {}}, "advisory", {}),
        ({"all": LONG, RULE.id: "disabled"}, "disabled", {}),
        ({"all": {}, RULE.id: "disabled"}, "disabled", {}),
        ({"all": "disabled", RULE.id: {**SIZE, "enforcementLevel": "mandatory"}}, "mandatory", SIZE),
        ({"all": {"enforcementLevel": "disabled"}, RULE.id: LONG}, "advisory", {}),
    ],
)
def test_the_level_of_all_is_that_of_rules_without_a_level(
    tmp_path: Path, levels: dict[str, Any], level: str, settings: dict[str, Any]
) -> None:
    file = tmp_path / "levels.json"
    file.write_text(json.dumps(levels))
    assert choose_level(RULE, read_levels(file)) == (level, settings)
    others = sum(choose_level(rule, levels)[0] == "disabled" for rule in RULES)
    assert count_disabled(file) == others


@pytest.mark.parametrize(
    ("levels", "words"),
    [
        ({"all": []}, "all: [] is not a level"),
        ({"all": None}, "all: None is not a level"),
        ({"all": {"enforcementLevel": {}}}, "all: {} is not a level"),
        ({"all": {"enforcementLevel": None}}, "all: None is not a level"),
        ({"all": SIZE}, "all: there is no setting 'minimumGib'"),
        ({RULE.id: {"enforcementLevel": ["advisory"]}}, "disk-large-enough: ['advisory'] is not a level"),
    ],
)
def test_an_entry_without_a_level_that_exists_is_refused(tmp_path: Path, levels: dict[str, Any], words: str) -> None:
    file = tmp_path / "levels.json"
    file.write_text(json.dumps(levels))
    with pytest.raises(UsageError) as refused:
        read_levels(file)
    assert words in str(refused.value)


def test_the_page_shows_the_level_of_all_in_its_long_form(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("dev", "research", "prod"):
        (tmp_path / f"{name}.json").write_text(json.dumps({"all": LONG, RULE.id: SIZE}))
    monkeypatch.setattr("gpu_blueprint.docs.policies_page.FOLDER", tmp_path)
    (row,) = (line for line in render_policies_page().splitlines() if line.startswith(f"| [{RULE.id}]"))
    assert row.count("advisory") == 3
