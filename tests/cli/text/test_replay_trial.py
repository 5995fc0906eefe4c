"""The text of a trial: each change as lines of YAML with its evidence."""

from typing import Any

import pytest
import yaml

from gpu_blueprint.cli.text.replay_trial import list_yaml

from ...support.builders import pool, tenant
from ...support.replay_trials import find_edits

POOLS: list[Any] = [
    pytest.param([pool()], id="whole GPUs"),
    pytest.param([pool(sharing={"mode": "time-slicing", "replicas": 4}, purpose="batch")], id="shared GPUs"),
    pytest.param([pool(name="main"), pool(name="b", purpose="batch")], id="two pools"),
    pytest.param([pool(disruption={"budgets": [{"nodes": "100%", "reasons": ["Empty"]}]})], id="budgets"),
]


@pytest.mark.parametrize("pools", POOLS)
def test_the_lines_of_each_change_are_the_yaml_of_its_fields(pools: list[dict[str, Any]]) -> None:
    """A field that a change removes, such as ``sharing`` of whole GPUs, is a comment."""
    for edit in find_edits(*pools, tenants=[tenant(gpus={"main": 4})]).values():
        lines = [*list_yaml(edit)]
        (written,) = yaml.safe_load("\n".join(lines))["pools"]
        fields = edit.pools[0].fields
        assert written == {"name": edit.pools[0].pool} | {
            name: each for name, each in fields.items() if each is not None
        }
        comments = [line.split(" without ")[1] for line in lines if "# without" in line]
        gone = [name for name, each in fields.items() if each is None]
        assert comments == [*gone, *(f"the pool {name}" for name in edit.merged)]
