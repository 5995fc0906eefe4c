"""The ends of replicas, from the seconds of the pool and of spot."""

from typing import Any

from gpu_blueprint.explain.models.ends import explain_ends

from ...support import builders
from ...support.served_stack import chat, serve


def explain(model: dict[str, Any], **pool: Any) -> dict[str, tuple[str, ...]]:
    tenant = builders.tenant(name="serving", gpus={"large": 16}, cpu="256", memory="1Ti")
    kind = {} if "instanceTypes" in pool else {"gpu": "l40s"}
    stack = serve(model, pools=[builders.pool(name="large", maxGpus=16, **kind, **pool)], tenants=[tenant])
    return {step.title: step.lines for step in explain_ends(stack, stack.gpu_pools[0], stack.models[0])}


def test_a_replica_leaves_the_service_before_its_server_ends() -> None:
    assert explain(chat())["a replica ends"] == (
        "it leaves the Service at once; new requests go to the other replicas",
        "after 15 s, when every node knows that, its server hears of the end and takes no more requests",
        "requests in flight get 4m 40s more, then their connection breaks",
        "after 5m in all the pod is killed (terminationGracePeriodSeconds)",
    )


def test_spot_leaves_two_minutes() -> None:
    steps = explain(chat(), purchase=["spot", "on-demand"])
    assert "requests in flight get 1m 30s more, then their connection breaks" in steps["a replica ends"]
    assert "the end above fits into these two minutes (1m 50s)" in steps["spot goes"]
    assert "spot goes" not in explain(chat())


def test_replicas_that_share_a_spot_node_do_not_all_leave_in_time() -> None:
    """Karpenter asks the budget for each, which lets one go until its successor is ready."""
    alone, beside = (
        explain(chat(), purchase=["spot"], instanceTypes=types)["spot goes"]
        for types in (["g6e.xlarge", "g6e.2xlarge"], ["g6e.xlarge", "g6e.12xlarge"])
    )
    assert beside[1].startswith("up to 4 replicas share a node, and the PodDisruptionBudget lets one of them leave")
    assert not any("share a node" in line for line in alone)


def test_several_replicas_are_replaced_without_room_and_a_single_replica_with_room() -> None:
    several, single = (explain(chat(replicas={"min": least, "max": 4})) for least in (2, 1))
    assert several["a rollout"][0].startswith("a replica ends before its successor starts (maxUnavailable 1)")
    assert single["a rollout"][0].startswith("a new replica starts before an old replica ends (maxSurge 1)")
    assert any("nobody answers until a new replica is ready" in line for line in single["a node drains"])
    assert not any("nobody answers" in line for line in several["a node drains"])


def test_a_node_goes_at_the_end_of_its_own_time() -> None:
    steps = explain(chat(), disruption={"terminationGracePeriod": "30m"})
    assert steps["a node drains"][-1] == "after 30m the node goes by force, whatever still runs there"
