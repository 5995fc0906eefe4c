"""The plan of every shipped stack equals its golden plan, which a person has read and accepted."""

import json
from collections.abc import Iterator
from difflib import unified_diff
from typing import Any

import pytest

from ..golden import GOLDEN, as_text, golden_file, snapshot
from ..support.plans import SHIPPED, STRICT, plan


def report(golden: dict[str, Any], now: dict[str, Any]) -> str:
    """Return a text with the resources that differ, and their differences; empty if the plans are equal."""
    lines = list(_list_differences(golden, now))
    return "\n".join([*lines, "if this is intended: run make golden and read its diff"]) if lines else ""


def _list_differences(golden: dict[str, Any], now: dict[str, Any]) -> Iterator[str]:
    yield from (f"gone: {name}" for name in golden if name not in now)
    yield from (f"new: {name}" for name in now if name not in golden)
    for name in golden:
        if name in now and golden[name] != now[name]:
            yield f"changed: {name}"
            before, after = (as_text(half[name]).splitlines() for half in (golden, now))
            yield from (f"  {line}" for line in list(unified_diff(before, after, n=1, lineterm=""))[2:])


@pytest.mark.parametrize("stack", (*SHIPPED, *STRICT))
def test_a_shipped_stack_has_its_golden_plan(stack: str) -> None:
    found = report(json.loads(golden_file(stack).read_text()), snapshot(plan(stack)))
    assert not found, f"the plan of {stack} differs:\n{found}"


@pytest.mark.parametrize("stack", (*SHIPPED, *STRICT))
def test_a_golden_file_is_written_as_make_golden_writes_it(stack: str) -> None:
    text = golden_file(stack).read_text()
    assert text == as_text(json.loads(text))


def test_every_golden_plan_belongs_to_a_shipped_stack() -> None:
    assert {file.stem for file in GOLDEN.glob("*.json")} == {*SHIPPED, *STRICT}


def test_a_snapshot_contains_everything_except_plugin_versions() -> None:
    shown = snapshot(plan("prod"))
    assert len(shown) == len(plan("prod"))
    for found in plan("prod"):
        entry = shown[f"{found.type} {found.name}"]
        assert len(entry.get("dependencies", [])) == len(found.dependencies)
        assert set(entry.get("inputs", {})) == set(found.inputs)
        assert set(entry.get("options", {})) == set(found.options) - {"version"}
        assert bool(entry.get("provider")) == bool(found.provider)


def test_a_difference_names_the_resource_and_the_line() -> None:
    same, old, new = {"inputs": {"a": 1}}, {"inputs": {"a": 1, "b": 1}}, {"inputs": {"a": 1, "b": 2}}
    found = report({"same": same, "old": old, "lost": old}, {"same": same, "old": new, "added": new})
    assert found.splitlines() == [
        "gone: lost",
        "new: added",
        "changed: old",
        "  @@ -3,3 +3,3 @@",
        '     "a": 1,',
        '  -  "b": 1',
        '  +  "b": 2',
        "    }",
        "if this is intended: run make golden and read its diff",
    ]
    assert report({"same": same}, {"same": same}) == ""
