"""What is legal in services and headroom, and will wait, or scale on nothing."""

from collections.abc import Iterator
from typing import Any

import pytest

from gpu_blueprint.checks.headroom import headroom_warnings
from gpu_blueprint.checks.services import service_warnings
from gpu_blueprint.config import StackConfig
from gpu_blueprint.errors import Problem

from ..support import builders


def autoscaling_warnings(stack: StackConfig) -> Iterator[Problem]:
    yield from service_warnings(stack)
    yield from headroom_warnings(stack)


def test_services_that_together_may_want_more_than_the_quota_are_warned_of() -> None:
    fields = builders.services(builders.service(), builders.service(name="rank"))
    (warning,) = autoscaling_warnings(builders.config(**fields))
    assert warning.path == ("services", 1, "replicas", "max") and "8 gpu" in warning.message


def test_replicas_that_outlive_the_hours_are_warned_of() -> None:
    hours = {"timezone": "UTC", "start": "08:00", "stop": "18:00"}
    fields = {**builders.services(), "tenants": [builders.tenant()]}
    closed = builders.config(pools=[builders.pool(hours=hours)], **fields)
    (warning,) = autoscaling_warnings(closed)
    assert warning.path == ("services", 0, "replicas", "min") and warning.severity == "warning"
    assert list(autoscaling_warnings(builders.config(pools=[builders.pool()], **fields))) == []


ROOM = {"cpu": "4", "memory": "16Gi"}


@pytest.mark.parametrize(
    ("pods", "kept", "told"),
    [
        (4, 4, []),
        (5, 4, ["services keep 4 GPUs at work at least, and these 5 more: the ceiling of pool main is 8"]),
        (8, 0, []),
    ],
)
def test_headroom_beside_work_that_fills_the_pool_is_warned_of(pods: int, kept: int, told: list[str]) -> None:
    service = builders.service(replicas={"min": kept, "max": 4}) if kept else None
    fields = {**(builders.services(service) if service else {}), "tenants": [builders.tenant()]}
    pool = builders.pool(maxGpus=8, headroom={"pods": pods, **ROOM})
    warned = [str(one.message) for one in autoscaling_warnings(builders.config(pools=[pool], **fields))]
    assert [one.split(", so some")[0] for one in warned] == told


SEVERAL, NONE = "a number for each series or group", "no number where the comparison fails"


@pytest.mark.parametrize(
    ("promql", "words"),
    [
        ("sum(x)", ""),
        ("sum by () (x)", ""),
        ("sum(rate(x[5m])) / sum(y)", ""),
        ("2 * sum(x)", ""),
        ("sum(x) > bool 10", ""),
        ("sum(x) or vector(0)", ""),
        ("topk(1, x)", ""),
        ("absent(x)", ""),
        ("max_over_time(sum(x)[1h:5m])", ""),
        ("histogram_quantile(0.9, sum by (le) (rate(x[5m])))", ""),
        ("histogram_quantile(0.9, (sum by (le) (rate(x[5m]))))", ""),
        ("histogram_quantile(0.9, sum(rate(native[5m])))", ""),
        ("sum(x) * scalar(y) - time()", ""),
        ("sum(x) > 5 or vector(0)", ""),
        ("x", SEVERAL),
        ("x * scalar(y)", SEVERAL),
        ("time() - x", SEVERAL),
        ("x * (2)", SEVERAL),
        ("histogram_quantile(0.9, rate(x[5m]))", SEVERAL),
        ("-x * 2", SEVERAL),
        ("rate(x[5m])", SEVERAL),
        ("sum by (pod) (x)", SEVERAL),
        ("sum without (pod) (x)", SEVERAL),
        ("topk(3, x)", SEVERAL),
        ("count_values('v', x)", SEVERAL),
        ("sum(x) or y", SEVERAL),
        ("max_over_time(x[1h:5m])", SEVERAL),
        ("histogram_quantile(0.9, sum by (le, pod) (rate(x[5m])))", SEVERAL),
        ("histogram_quantile(0.9, sum without (le) (rate(x[5m])))", SEVERAL),
        ("(sum(x) > 10)", NONE),
        ("(sum(x) > 10) * 2", NONE),
        ("sum(x) > 10 or sum(y) > 2", NONE),
        ("x == 1", NONE),
    ],
)
def test_a_query_that_may_give_several_numbers_or_none_is_warned_of(promql: str, words: str) -> None:
    signal: dict[str, Any] = {"signal": "query", "promql": promql, "perReplica": 4}
    stack = builders.config(**builders.services(builders.service(scaleOn=[signal])))
    warned = list(autoscaling_warnings(stack))
    assert [one.path for one in warned] == ([("services", 0, "scaleOn", 0, "promql")] if words else [])
    assert all(words in one.message for one in warned)


@pytest.mark.parametrize(
    ("labels", "told"),
    [
        (({"app": "a"}, {"app": "b"}), []),
        (({"app": "a"}, {"app": "a"}), [1]),
        (({"app": "a"}, {"app": "a", "team": "x"}), [0]),
        (({"app": "a", "team": "x"}, {"team": "x"}), [1]),
        (({}, {"app.kubernetes.io/name": "chat"}), [1]),
    ],
)
def test_each_service_is_measured_on_its_own_pods(labels: tuple[dict[str, str], ...], told: list[int]) -> None:
    chat, rank = (
        builders.service(name=name, podLabels=own, replicas={"min": 1, "max": 2})
        for name, own in zip(("chat", "rank"), labels, strict=True)
    )
    found = builders.problems(**builders.services(chat, rank))
    assert [one.split(": ")[0] for one in found] == [f"services.{index}.podLabels" for index in told]


def test_servers_of_two_kinds_are_told_apart_by_port_and_metrics() -> None:
    two = [
        builders.service(name=name, server=server, podLabels={"team": "a"}, replicas={"min": 1, "max": 2})
        for name, server in (("chat", "vllm"), ("rank", "triton"))
    ]
    assert builders.problems(**builders.services(*two)) == []


def test_headroom_is_held_against_the_nodes_with_fewest_gpus_that_hold_it() -> None:
    room = {"maxGpus": 16, "headroom": {"pods": 10, "cpu": "40", "memory": "100Gi"}}
    assert builders.problems(pools=[builders.pool(gpu="a10g", **room)]) == []
    (line,) = builders.problems(pools=[builders.pool(instanceTypes=["g5.24xlarge"], **room)])
    assert "10 pods take nodes of 20 GPUs, the ceiling of pool main is 16" in line
