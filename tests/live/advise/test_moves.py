"""Moving a pool's work: another GPU, or several pods on one; when it is proposed, and each bound."""

from typing import Any

import pytest

from gpu_blueprint.catalog.prices import HOURS_A_MONTH, on_demand
from gpu_blueprint.config import StackConfig
from gpu_blueprint.live.advise import Proposal, advise
from gpu_blueprint.live.advise.observed import LargestPod, PoolUse
from gpu_blueprint.live.advise.right_size import right_size
from gpu_blueprint.live.advise.share import share

from ...support import builders
from ...support.observations import (
    A100,
    IDLE,
    LIGHT,
    SMALL,
    activity,
    added,
    on_a100,
    reserved_stack,
    seen,
    sets,
    stack,
    use,
)


def sizes(config: StackConfig, found: PoolUse) -> list[Proposal]:
    return list(right_size(config, config.pools[0], seen(found)))


def models(config: StackConfig, found: PoolUse) -> list[str]:
    return [str(added(one).fields["gpu"]) for one in sizes(config, found)]


def test_an_a100_at_22_percent_becomes_an_l4_or_else_an_a10g() -> None:
    assert models(stack(**A100), on_a100())[:2] == ["l4", "a10g"]


def test_the_saving_is_the_difference_of_two_bills_worked_out_by_hand() -> None:
    config = stack(purchase=["on-demand"], disk={"sizeGib": 50}, **A100)
    (first, *_) = sizes(config, on_a100(node_hours={("p4d.24xlarge", "on-demand"): 168.0}))
    before, after = on_demand("p4d.24xlarge", "us-east-1"), on_demand("g6.xlarge", "us-east-1")
    assert before and after and first.saving
    disks = 7 * 50 * 0.08  # both have NVMe for images, each node has its volume: one before, eight after
    assert first.saving == pytest.approx((before.usd - 8 * after.usd) * HOURS_A_MONTH - disks, rel=0.001)


@pytest.mark.parametrize(
    ("busy", "expected"),
    [
        ({"memory_mib": 17.6 * 1024}, ["l4", "a10g"]),
        ({"memory_mib": 17.8 * 1024}, []),  # with a fifth more, above what an L4 and an A10G have
        ({"tensor_p95": 0.27}, ["l4"]),
        ({"tensor_p95": 0.28}, []),  # 0.28 of 312 TFLOPS is 72 % of an L4
        ({"dram_p95": 0.13}, ["l4", "a10g"]),
        ({"dram_p95": 0.14}, ["a10g"]),  # 0.14 of 1,555 GB/s is 73 % of an L4
        ({"sm_p95": 0.26, "tensor_p95": 0.08, "dram_p95": 0.08}, ["l4"]),  # the SMs do other work: 81 TFLOPS of 121 at worst
        ({"sm_p95": 0.28, "tensor_p95": 0.08, "dram_p95": 0.08}, []),
    ],
)  # fmt: skip
def test_each_bound_of_another_gpu(busy: dict[str, float], expected: list[str]) -> None:
    values = {"sm_mean": 0.22, "sm_p95": 0.28, "tensor_p95": 0.1, "dram_p95": 0.1, "memory_mib": 9 * 1024, **busy}
    found = models(stack(**A100), on_a100(activity=activity(**values)))
    assert [name for name in found if name in ("l4", "a10g")] == expected


def test_no_gpu_without_bf16_takes_the_place_of_one_with_it() -> None:
    assert {"t4", "v100"} & {*models(stack(**A100), on_a100())} == set()
    older = stack(gpu="v100", maxGpus=8)
    assert "t4" in models(older, use("p3dn.24xlarge", 1, per_node=8, activity=IDLE))


def test_a_gpu_without_fp8_takes_it_with_less_confidence() -> None:
    h100 = sizes(
        stack(instanceTypes=["p5.4xlarge"]),
        use(
            "p5.4xlarge",
            4,
            activity=activity(sm_mean=0.03, sm_p95=0.05, tensor_p95=0.04, dram_p95=0.04, memory_mib=4096),
        ),
    )
    levels = {one.title.split(" → ")[1]: one.confidence.level for one in h100}
    assert (levels["L40S"], levels["A10G"]) == ("medium", "low")


def test_images_are_built_for_one_architecture() -> None:
    assert "t4g" not in models(stack(gpu="t4"), use("g4dn.xlarge", activity=IDLE))
    assert "t4" not in models(stack(gpu="t4g", maxGpus=8), use("g5g.16xlarge", 1, per_node=2, activity=IDLE))


def test_a_load_in_bursts_lowers_the_confidence() -> None:
    calm = activity(sm_mean=0.03, sm_p95=0.09, tensor_p95=0.04, dram_p95=0.04, memory_mib=4096)
    bursts = activity(sm_mean=0.02, sm_p95=0.09, tensor_p95=0.04, dram_p95=0.04, memory_mib=4096)
    levels = [sizes(stack(**A100), on_a100(activity=one))[0].confidence for one in (calm, bursts)]
    assert [one.level for one in levels] == ["medium", "low"] and "p95 is 9%, the mean 2%" in levels[1].reason


def test_a_node_must_hold_what_the_pod_asks_of_cpu_and_memory() -> None:
    (first, *_) = sizes(stack(**A100), on_a100(largest=LargestPod(units=1, vcpu=12, memory_mib=50 * 1024)))
    assert "g6.4xlarge" in first.evidence[-1]


def test_where_what_pods_ask_is_not_known_confidence_is_lower() -> None:
    (first, *_) = sizes(stack(**A100), on_a100(largest=LargestPod(units=1)))
    assert first.confidence.level == "low" and "CPU" in first.confidence.reason


@pytest.mark.parametrize(
    ("pool", "found", "words"),
    [
        (A100, on_a100(activity=None), "activity of its GPUs is not known"),
        (A100, on_a100(largest=LargestPod(units=2)), "several GPUs"),
        (A100, on_a100(activity=activity(coverage=0.4)), "40%"),
        (A100, PoolUse(), "no node"),
        ({**A100, "ami": {"family": "bottlerocket"}}, on_a100(), "Bottlerocket"),
        ({"sharing": {"mode": "time-slicing", "replicas": 4}}, use(activity=IDLE), "shared already"),
        (
            {"instanceTypes": ["p5.4xlarge"], "sharing": {"mode": "mig", "profile": "1g.10gb"}},
            use("p5.4xlarge"),
            "MIG already",
        ),
        ({"instanceTypes": ["g6f.large"]}, use("g6f.large", activity=IDLE), "fractions"),
        ({**A100, "zones": ["us-east-1a"], "multiNode": {}}, on_a100(), "EFA"),
    ],
)
def test_a_pool_of_which_nothing_can_be_said_is_named_with_the_reason(
    pool: dict[str, Any], found: PoolUse, words: str
) -> None:
    config = stack(**pool)
    told = advise(config, seen(found))
    assert [one for one in told.proposals if one.moves] == []
    ((name, why),) = told.silent
    assert name == "main" and words in why


def test_memory_that_is_taken_in_advance_is_named_as_what_hides_the_need() -> None:
    full = activity(sm_mean=0.1, sm_p95=0.2, tensor_p95=0.1, dram_p95=0.1, memory_mib=20 * 1024)
    ((_, why),) = advise(stack(), seen(use(activity=full))).silent
    assert "vLLM" in why and "20% active and 94% of the memory" in why
    assert advise(stack(), seen(use())).silent == ()


def test_reserved_gpus_are_paid_for_whatever_takes_their_place() -> None:
    config = reserved_stack()
    assert "reservations" in advise(config, seen(use("p5.48xlarge", 2, per_node=8, activity=LIGHT))).silent[0][1]


def test_a_move_adds_a_pool_with_quotas_and_expectations_and_leaves_the_old_one() -> None:
    config = builders.config(
        pools=[builders.pool(**A100, purchase=["spot"], expectedHours=500)], tenants=[builders.tenant(gpus={"main": 4})]
    )
    (first, *_) = sizes(config, on_a100())
    new = added(first)
    assert (new.like, new.name, new.grants) == ("main", "main-l4", {"team": 4})
    assert new.fields["maxGpus"] == 8 and new.fields["expectedUtilization"] == 1.0
    assert new.fields["taints"] == [{"key": "canary", "value": "main-l4"}]
    assert sets(first) == {"pools.main.expectedHours": 0}


def test_nobody_is_told_to_move_where_a_move_has_begun() -> None:
    config = builders.config(pools=[builders.pool(**A100), builders.pool(name="main-l4", taints=[{"key": "a"}])])
    assert "l4" not in models(config, on_a100())


def test_a_pool_of_which_nothing_is_expected_any_more_is_left_to_its_move() -> None:
    told = advise(stack(**A100, expectedUtilization=0), seen(on_a100()))
    assert told.proposals == () and "moves to another pool already" in told.silent[0][1]


def test_a_saving_that_is_not_worth_the_work_is_not_proposed() -> None:
    assert models(stack(gpu="a10g"), use("g5.xlarge", activity=LIGHT)) == []


def shares(config: StackConfig, found: PoolUse) -> list[dict[str, Any]]:
    return [added(one).fields["sharing"] for one in share(config, config.pools[0], seen(found))]


def test_small_pods_on_whole_h100s_get_the_smallest_mig_profile_that_holds_them() -> None:
    config = stack(instanceTypes=["p5.4xlarge"])
    assert shares(config, use("p5.4xlarge", activity=IDLE)) == [{"mode": "mig", "profile": "1g.10gb"}]
    larger = activity(sm_mean=0.1, sm_p95=0.15, tensor_p95=0.1, dram_p95=0.1, memory_mib=12 * 1024)
    assert shares(config, use("p5.4xlarge", activity=larger)) == [{"mode": "mig", "profile": "2g.20gb"}]
    assert shares(config, use("p5.4xlarge")) == []


@pytest.mark.parametrize("needs", [{"memory_mib": 30 * 1024}, {"memory_mib": 20 * 1024, "dram_p95": 0.4}])
def test_three_sevenths_of_the_sms_come_with_half_of_the_memory_and_its_bandwidth(needs: dict[str, float]) -> None:
    found = use(
        "p5.4xlarge", activity=activity(**{"sm_mean": 0.1, "sm_p95": 0.2, "tensor_p95": 0.1, "dram_p95": 0.1, **needs})
    )
    assert shares(stack(instanceTypes=["p5.4xlarge"]), found) == [{"mode": "mig", "profile": "3g.40gb"}]


@pytest.mark.parametrize(
    ("purpose", "mode"), [("inference", "mps"), ("notebook", "time-slicing"), ("batch", "time-slicing")]
)
def test_a_gpu_without_mig_is_shared_by_purpose(purpose: str, mode: str) -> None:
    assert shares(stack(purpose=purpose), use(activity=IDLE, largest=SMALL)) == [{"mode": mode, "replicas": 4}]


@pytest.mark.parametrize(
    ("busy", "replicas"),
    [({"memory_mib": 2048}, 7), ({"memory_mib": 1024, "sm_p95": 0.05}, 8), ({"sm_p95": 0.4}, 2), ({"sm_p95": 0.41}, None), ({"memory_mib": 9.2 * 1024}, None)],
)  # fmt: skip
def test_replicas_come_from_memory_and_activity(busy: dict[str, float], replicas: int | None) -> None:
    values = {"sm_mean": 0.05, "sm_p95": 0.11, "tensor_p95": 0.05, "dram_p95": 0.05, "memory_mib": 4096, **busy}
    found = shares(stack(purpose="notebook"), use(activity=activity(**values), largest=SMALL))
    assert [one["replicas"] for one in found] == ([replicas] if replicas else [])


def test_a_node_holds_no_more_pods_than_it_has_cpu_for() -> None:
    (one,) = share(
        config := stack(purpose="notebook"),
        config.pools[0],
        seen(use(activity=IDLE, largest=LargestPod(units=1, vcpu=1.5))),
    )
    assert added(one).fields["sharing"]["replicas"] == 4 and "g6.2xlarge" in one.evidence[-1]
    h100, large = stack(instanceTypes=["p5.4xlarge"]), LargestPod(units=1, vcpu=2.5)
    (cut,) = share(h100, h100.pools[0], seen(use("p5.4xlarge", activity=IDLE, largest=large)))
    assert "at 6 to a GPU (of its 7 instances; a p5.4xlarge has CPU and memory for no more)" in cut.evidence[-1]


def test_several_tenants_share_no_gpu_without_isolation() -> None:
    teams = [builders.tenant(name=name, gpus={"main": 4}) for name in ("one", "two")]
    config = builders.config(pools=[builders.pool(purpose="notebook", purchase=["spot"])], tenants=teams)
    assert shares(config, use(activity=IDLE)) == []
    cut = builders.config(pools=[builders.pool(instanceTypes=["p5.4xlarge"], purchase=["spot"])], tenants=teams)
    assert shares(cut, use("p5.4xlarge", activity=IDLE))[0]["mode"] == "mig"


def test_training_shares_nothing() -> None:
    assert shares(stack(purpose="training", checkpointed=True), use(activity=IDLE)) == []


def test_what_still_fills_the_same_node_saves_nothing() -> None:
    whole = use("g6.48xlarge", 1, per_node=8, activity=IDLE, held_mean=8, largest=LargestPod(units=1, vcpu=20))
    found = list(share(config := stack(instanceTypes=["g6.48xlarge"]), config.pools[0], seen(whole)))
    assert all("g6.48xlarge" not in one.evidence[-1] for one in found)


def test_of_two_moves_the_one_that_saves_more_is_proposed_and_the_other_named() -> None:
    config = stack(instanceTypes=["p5.4xlarge"])
    told = advise(config, seen(use("p5.4xlarge", activity=IDLE)))
    (chosen,) = [one for one in told.proposals if one.moves]
    assert {one.kind for one in (chosen, *told.alternatives)} == {"share", "right-size"}
    assert all((chosen.saving or 0) >= (other.saving or 0) for other in told.alternatives)


NOTHING = activity(sm_mean=0.0, sm_p95=0.0, tensor_p95=0.0, dram_p95=0.0, memory_mib=0.0)


def test_gpus_that_do_nothing_at_all_are_advised_on_like_others() -> None:
    found = advise(stack(**A100), seen(on_a100(activity=NOTHING)))
    assert any(one.moves for one in found.proposals)


WARM = {"pods": 2, "cpu": "2", "memory": "8Gi"}


@pytest.mark.parametrize(
    ("how", "pool", "found"),
    [
        (right_size, {**A100, "maxGpus": 32}, on_a100(activity=IDLE, largest=SMALL)),
        (share, {"gpu": "l4", "maxGpus": 16}, use("g6.xlarge", 8, activity=IDLE, largest=SMALL)),
    ],
)
def test_headroom_moves_with_the_work(how: Any, pool: dict[str, Any], found: PoolUse) -> None:
    """Room for two more pods is in the new ceiling, and no longer in the old pool."""
    without, with_ = (stack(**pool, headroom=room) for room in (None, WARM))
    (before, *_), (after, *_) = (list(how(config, config.pools[0], seen(found))) for config in (without, with_))
    assert sets(after)["pools.main.headroom"] is None and "pools.main.headroom" not in sets(before)
    assert added(after).fields["maxGpus"] > added(before).fields["maxGpus"]
    assert "headroom" not in added(after).fields


def test_services_that_move_are_named() -> None:
    fields = builders.services()
    config = builders.config(**fields, tenants=[builders.tenant()], pools=[builders.pool(**A100)])
    (first, *_) = right_size(config, config.pools[0], seen(on_a100(activity=IDLE)))
    assert "`pool` and the signals' targets of team/chat" in first.next[-1]
    assert "team/chat" not in next(iter(right_size(stack(**A100), stack(**A100).pools[0], seen(on_a100())))).next[-1]


def test_pods_that_would_all_fall_with_one_node_lower_the_confidence() -> None:
    config = stack(gpu="l4")
    (found,) = share(config, config.pools[0], seen(use("g6.xlarge", 4, activity=IDLE, largest=SMALL)))
    assert "all pods would run on one node" in found.confidence.reason
