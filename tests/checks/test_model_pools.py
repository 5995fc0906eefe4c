"""Models stand in pools for inference, on more than one spot node, and end before their nodes do."""

from typing import Any

import pytest

from ..support.checked_models import check, find, only, triton, vllm

SPOT = {"purchase": ["spot", "on-demand"]}


def grace(period: str) -> dict[str, Any]:
    return {"disruption": {"terminationGracePeriod": period}}


@pytest.mark.parametrize(
    ("drain", "pool", "is_fine"),
    [
        ("90s", SPOT, True),
        ("91s", SPOT, False),
        ("90s", {**SPOT, **grace("100s")}, False),
        ("80s", {**SPOT, **grace("100s")}, True),
        ("9m40s", grace("10m"), True),
        ("9m41s", grace("10m"), False),
        (None, SPOT, True),
        (None, grace("25s"), True),
        ("5s", grace("25s"), True),
        ("1s", grace("20s"), False),
    ],
)
def test_a_drain_ends_before_the_node(drain: str | None, pool: dict[str, Any], is_fine: bool) -> None:
    assert find(vllm(drain=drain), pool=pool) == ({} if is_fine else {"models.0.drain": "drain-beyond-node"})


def test_the_refusal_of_a_drain_has_its_numbers() -> None:
    problem = only(vllm(drain="2m"), pool=SPOT)
    assert problem.reason.startswith("a drain of 120 s takes 140 s (15 s before it and 5 s after it)")
    assert "pool main leave 110 s (spot)" in problem.reason and problem.hint == "write 90s or less"
    short = only(vllm(drain="2m"), pool={**SPOT, **grace("60s")})
    assert "leave 60 s (terminationGracePeriod 60s)" in short.reason and short.hint == "write 40s or less"
    assert "use a pool" in only(vllm(drain="2m"), pool=grace("10s")).hint


def test_a_pool_that_leaves_no_time_for_an_answer_is_refused() -> None:
    assert find(vllm(), pool=grace("24s")) == {"models.0.pool": "pool-ends-replicas"}
    problem = only(triton(), pool=grace("10s"))
    assert (
        "leave 10 s (terminationGracePeriod 10s), and a replica needs 15 s before its last answers and 5 s after"
        in problem.reason
    )


@pytest.mark.parametrize(("purpose", "is_fine"), [("inference", True), ("notebook", False), ("batch", False)])
def test_pools_for_other_work_are_warned_of(purpose: str, is_fine: bool) -> None:
    found = find(vllm(), pool={"purpose": purpose})
    assert found == ({} if is_fine else {"models.0.pool": "model-in-other-pool"})


def test_queues_refuse_a_model_and_nobody_warns_of_it_too() -> None:
    assert find(vllm(), pool={"purpose": "batch"}, queueing={}) == {"models.0.pool": "service-in-queued-pool"}


@pytest.mark.parametrize(("least", "pool", "count"), [(1, SPOT, 1), (2, SPOT, 0), (1, {}, 0)])
def test_one_replica_on_spot_is_warned_of(least: int, pool: dict[str, Any], count: int) -> None:
    found = check(vllm(replicas={"min": least, "max": 4}), pool=pool)
    assert [problem.kind for problem in found] == ["one-replica-on-spot"] * count


def test_one_replica_of_two_versions_is_told_once() -> None:
    following = {"version": "v2", "share": 0.5, "maxModelLen": 2048}
    found = check(vllm(next=following, replicas={"min": 1, "max": 4}), pool=SPOT)
    assert [problem.kind for problem in found] == ["one-replica-on-spot"]


@pytest.mark.parametrize(("drain", "is_fine"), [("0s", False), ("4s", False), ("5s", True)])
def test_a_drain_that_breaks_answers_off_is_refused(drain: str, is_fine: bool) -> None:
    assert find(vllm(drain=drain)) == ({} if is_fine else {"models.0.drain": "drain-too-short"})


def test_two_versions_on_spot_stand_in_for_each_other() -> None:
    following = {"version": "v2", "share": 0.5, "maxModelLen": 2048}
    assert find(vllm(next=following, replicas={"min": 2, "max": 4}), pool=SPOT) == {}
