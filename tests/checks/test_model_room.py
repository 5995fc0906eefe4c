"""The replicas of models fit the CPU, memory and pods of their tenant."""

from typing import Any

import pytest

from ..support import builders
from ..support.checked_models import check, find, only, vllm

SIZED = {"podSize": {"cpu": "4", "memory": "16Gi"}, "instanceTypes": ["g6.2xlarge"], "gpu": None}


def team(**quota: Any) -> dict[str, Any]:
    """A pool whose pods have 4 CPUs and 16 GiB each, and a team with quotas."""
    pool = {name: value for name, value in builders.pool(**SIZED, maxGpus=16).items() if value is not None}
    return {"pools": [pool], "tenants": [builders.tenant(**{"gpus": {"main": 16}, **quota})]}


def model(least: int, most: int, **fields: Any) -> dict[str, Any]:
    return vllm(replicas={"min": least, "max": most}, **fields)


@pytest.mark.parametrize(
    ("quota", "words"),
    [
        ({"cpu": "16", "memory": "64Gi"}, None),
        ({"cpu": "15", "memory": "64Gi"}, "4 replicas request 16 CPUs, and the quota of team is 15"),
        ({"cpu": "16", "memory": "63Gi"}, "4 replicas request 64 GiB of memory, and the quota of team is 63"),
        ({"cpu": "16", "memory": "64Gi", "pods": 3}, "4 replicas request 4 pods, and the quota of team is 3"),
    ],
)
def test_the_most_replicas_of_a_model_fit_its_tenant(quota: dict[str, Any], words: str | None) -> None:
    found = check(model(2, 4), **team(**quota))
    assert [problem.reason for problem in found] == ([words] if words else [])
    assert all((problem.kind, problem.path[2:]) == ("model-above-quota", ("replicas", "max")) for problem in found)


def test_the_least_replicas_of_all_models_fit_together() -> None:
    second, third = model(2, 2, name="draft"), model(2, 2, name="third")
    assert find(model(2, 4), second, **team(cpu="16")) == {}
    problem = only(model(2, 4), second, third, model(2, 2, name="fourth"), **team(cpu="16"))
    assert problem.path == ("models", 2, "replicas", "min")
    assert problem.reason == "with it, the models of team always request 24 CPUs, and the quota of team is 16"


def test_a_wrong_quota_makes_no_model_seem_too_large() -> None:
    assert set(find(model(2, 4), **team(cpu="sixteen"))) == {"tenants.0.cpu"}
    assert set(find(model(2, 4), **team(cpu="sixteen", memory="1Gi"))) == {"tenants.0.cpu"}
