from typing import Any

import pytest

from gpu_blueprint.lifecycle.differences import list_changed_paths, list_replacing_paths


@pytest.mark.parametrize(
    ("old", "new", "paths"),
    [
        ({"a": 1}, {"a": 1}, []),
        ({"a": 1}, {"b": 1}, ["a", "b"]),
        ({"a": {"b": 1, "c": 2}}, {"a": {"b": 1, "c": 3}}, ["a.c"]),
        ({"a": ["x"]}, {"a": ["y"]}, ["a"]),
        ({"a": [{"b": 1}, {"b": 2}]}, {"a": [{"b": 1}, {"b": 3}]}, ["a.b"]),
        ({"a": [{"b": 1}]}, {"a": [{"b": 1}, {"b": 2}]}, ["a"]),
    ],
)
def test_changed_paths_lead_to_the_innermost_value_that_differs(old: Any, new: Any, paths: list[str]) -> None:
    assert list_changed_paths(old, new) == paths


@pytest.mark.parametrize(
    ("changed", "replacing"),
    [
        ("vpcConfig.subnetIds", "vpcConfig.subnetIds"),
        ("vpcConfig", "vpcConfig.subnetIds"),
        ("launchTemplate.name.first", "launchTemplate.name"),
        ("instanceTypes", "instanceType"),
    ],
)
def test_a_change_on_above_or_below_a_replacing_path_replaces(changed: str, replacing: str) -> None:
    assert list_replacing_paths([changed], [replacing]) == [changed]


@pytest.mark.parametrize(
    ("changed", "replacing"), [("vpcConfig.tags", "vpcConfig.subnetIds"), ("name", "namePrefix"), ("tags", "name")]
)
def test_a_change_beside_a_replacing_path_does_not_replace(changed: str, replacing: str) -> None:
    assert list_replacing_paths([changed], [replacing]) == []
