"""Two plans are compared property by property; texts for people are counted separately."""

import json
from pathlib import Path
from typing import Any

import pytest

from tools.compare_plans import main

POOL = {"type": "kubernetes:karpenter.sh/v1:NodePool", "name": "main", "inputs": {"spec": {"limits": {"cpu": "64"}}}}
RULE = {
    "type": "kubernetes:monitoring.coreos.com/v1:PrometheusRule",
    "name": "rules",
    "inputs": {"groups": [{"expr": "up == 0", "annotations": {"summary": "A node is down."}}]},
}
BOARD = {
    "type": "kubernetes:core/v1:ConfigMap",
    "name": "fleet",
    "inputs": {"data": {"fleet.json": '{"title": "Fleet"}'}},
}


def replace_text(resource: dict[str, Any], before: str, after: str) -> dict[str, Any]:
    """Return a resource with a text replaced."""
    text = json.dumps(resource)
    assert before in text
    result: dict[str, Any] = json.loads(text.replace(before, after))
    return result


def compare(folder: Path, before: list[dict[str, Any]], after: list[dict[str, Any]]) -> int:
    for name, resources in (("before", before), ("after", after)):
        (folder / f"{name}.json").write_text(json.dumps({"resources": resources}))
    return main([str(folder / "before.json"), str(folder / "after.json")])


def test_equal_plans_have_no_differences(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert compare(tmp_path, [POOL, RULE, BOARD], [RULE, POOL, BOARD]) == 0
    assert capsys.readouterr().out == "0 differences\n"


def test_a_property_that_changes_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert compare(tmp_path, [POOL], [replace_text(POOL, "64", "65")]) == 1
    assert capsys.readouterr().out == (
        'kubernetes:karpenter.sh/v1:NodePool main: inputs.spec.limits.cpu: "64" → "65"\n1 differences\n'
    )


def test_an_added_or_removed_resource_is_a_difference(tmp_path: Path) -> None:
    assert compare(tmp_path, [POOL], [POOL, RULE]) == 1
    assert compare(tmp_path, [POOL, RULE], [POOL]) == 1


@pytest.mark.parametrize(("resource", "text"), [(RULE, "A node is down."), (BOARD, "Fleet")])
def test_a_text_for_people_is_counted_separately(
    resource: dict[str, Any], text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert compare(tmp_path, [resource], [replace_text(resource, text, "Better words.")]) == 0
    assert capsys.readouterr().out == "0 differences (1 texts for people differ)\n"


def test_an_expression_of_an_alert_counts_as_a_difference(tmp_path: Path) -> None:
    assert compare(tmp_path, [RULE], [replace_text(RULE, "up == 0", "up == 1")]) == 1


def test_a_file_that_is_not_a_plan_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "plan.json").write_text("[]")
    assert main([str(tmp_path / "plan.json"), str(tmp_path / "plan.json")]) == 2
    assert "not a plan.json" in capsys.readouterr().err
