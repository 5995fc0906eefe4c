"""The rules of `advise` that change a pool where it is, and how all go together."""

from typing import Any

import pytest

from gpu_blueprint.catalog.prices import HOURS_A_MONTH, on_demand
from gpu_blueprint.config import StackConfig
from gpu_blueprint.live.advise import Advice, Observed, Proposal, advise
from gpu_blueprint.live.advise.bill import measure_spot_part, usd_a_month
from gpu_blueprint.live.advise.ceiling import lower_ceiling
from gpu_blueprint.live.advise.observed import PoolUse, Window
from gpu_blueprint.live.advise.proposal import judge_confidence
from gpu_blueprint.live.advise.purchase import commit, give_back
from gpu_blueprint.live.advise.quota import raise_quotas
from gpu_blueprint.live.advise.spot import buy_on_spot, spread_spot

from ...support import builders
from ...support.observations import A100, WEEK, on_a100, quota, reserved_stack, seen, sets, stack, use


def spot(config: StackConfig, **overrides: Any) -> list[Proposal]:
    return list(buy_on_spot(config, config.pools[0], seen(use(how="on-demand", **overrides))))


def test_on_demand_inference_goes_to_spot_with_on_demand_behind_it() -> None:
    (one,) = spot(stack(purchase=["on-demand"]))
    assert sets(one) == {"pools.main.purchase": ["spot", "on-demand"]}
    price = on_demand("g6.xlarge", "us-east-1")
    assert price and one.saving == pytest.approx(6 * price.usd * (1 - 0.57) * HOURS_A_MONTH)


@pytest.mark.parametrize(
    "pool",
    [
        {"purchase": ["spot", "on-demand"]},
        {"purchase": ["on-demand"], "purpose": "training"},
        {"purchase": ["on-demand"], "instanceTypes": ["g6.xlarge"], "zones": ["us-east-1a"], "staticNodes": 8},
    ],
)
def test_what_has_spot_or_cannot_bear_it_is_left_alone(pool: dict[str, Any]) -> None:
    assert spot(stack(**pool)) == []


def test_few_spot_markets_lower_the_confidence() -> None:
    (wide,) = spot(stack(purchase=["on-demand"]))
    (narrow,) = spot(stack(purchase=["on-demand"], instanceTypes=["g6.xlarge"]))
    assert (wide.confidence.level, narrow.confidence.level) == ("medium", "low")


def test_nodes_of_a_fixed_size_cost_what_their_pool_pays() -> None:
    static = {"instanceTypes": ["g6.xlarge"], "zones": ["us-east-1a"], "staticNodes": 8}
    for how in ("spot", "on-demand"):
        config = stack(purchase=[how], **static)
        unsaid, said = (usd_a_month(config, config.pools[0], use(how=label), WEEK) for label in ("", how))
        assert unsaid == said and measure_spot_part(config.pools[0], use(how="")) == (how == "spot")


def spread(config: StackConfig, interruptions: float) -> list[Proposal]:
    return list(spread_spot(config, config.pools[0], seen(use(interruptions=interruptions))))


def test_spot_that_is_taken_back_often_gets_on_demand_or_more_types() -> None:
    alone = stack(purchase=["spot"])
    assert spread(alone, 6) == []  # six nodes for a week: one a week each
    (one,) = spread(alone, 7)
    assert sets(one) == {"pools.main.purchase": ["spot", "on-demand"]}
    (more,) = spread(stack(instanceTypes=["g6.xlarge"]), 7)
    assert sets(more)["pools.main.instanceTypes"][:2] == ["g6.xlarge", "g6.2xlarge"]
    assert spread(stack(), 7) == []


def committed(low: float, how: str = "on-demand", nodes: float = 10) -> list[Proposal]:
    config = stack(purchase=["on-demand"])
    return list(commit(config, config.pools[0], seen(use(nodes=nodes, how=how, gpus_low=low))))


def test_what_runs_all_the_time_deserves_a_commitment_by_the_arithmetic_of_cost() -> None:
    (one,) = committed(low=6)
    assert "10.0 GPUs ran on average, in 730 of 730 hours; 60 to 70 % of that is 6.0 to 7.0 GPUs" in one.evidence[1]
    price = on_demand("g6.xlarge", "us-east-1")
    assert price and one.saving == pytest.approx(6 * price.usd * 730 * 0.17, rel=0.001)
    assert committed(low=5.9) == committed(low=10, how="spot") == []
    now_on_spot = stack()
    assert list(commit(now_on_spot, now_on_spot.pools[0], seen(use(nodes=10, how="on-demand")))) == []


def back(config: StackConfig, used: dict[str, float]) -> list[Proposal]:
    return list(give_back(config, Observed(window=WEEK, reservations=used)))


def test_reserved_instances_that_never_ran_are_given_back() -> None:
    (one,) = back(reserved_stack(), {"cr-0a1b2c3d": 3})
    assert sets(one) == {"reservations.cr-0a1b2c3d.instances": 3}
    assert one.saving == pytest.approx(55.04 * 730) and "--instance-count 3" in one.next[1]
    assert back(reserved_stack(), {"cr-0a1b2c3d": 4}) == []
    (all_,) = back(reserved_stack(usdPerHour=10), {})
    assert all_.changes == () and all_.saving == 4 * 10 * 730


def test_a_capacity_block_is_paid_and_cannot_be_given_back() -> None:
    assert back(reserved_stack(capacityBlock=True, ends="2030-01-01"), {}) == []


def ceilings(config: StackConfig, found: PoolUse) -> list[dict[str, Any]]:
    return [sets(one) for one in lower_ceiling(config, config.pools[0], seen(found))]


@pytest.mark.parametrize(("most", "lower"), [(32, 8), (11, 8), (10, None), (8, None)])
def test_a_ceiling_far_above_the_peak_is_lowered(most: int, lower: int | None) -> None:
    assert ceilings(stack(maxGpus=most), use()) == ([{"pools.main.maxGpus": lower}] if lower else [])


def test_a_ceiling_takes_quotas_and_expectations_with_it() -> None:
    config = builders.config(
        pools=[builders.pool(maxGpus=32, expectedUtilization=0.9, sharing={"mode": "time-slicing", "replicas": 2})],
        tenants=[builders.tenant(gpus={"main": 40}), builders.tenant(name="small", gpus={"main": 3})],
    )
    expected = {"pools.main.maxGpus": 8, "pools.main.expectedUtilization": 0.75, "tenants.team.gpus.main": 16}
    assert ceilings(config, use()) == [expected]


def test_a_ceiling_stays_where_pods_waited_or_nodes_are_fixed_or_nothing_ran() -> None:
    assert ceilings(stack(maxGpus=32), use(waiting=0.02)) == []
    assert ceilings(stack(maxGpus=32), PoolUse()) == []
    static = stack(
        instanceTypes=["g6.xlarge"], zones=["us-east-1a"], staticNodes=32, maxGpus=32, purchase=["on-demand"]
    )
    assert ceilings(static, use()) == []


def test_a_ceiling_is_whole_nodes_and_holds_every_type_that_is_named_or_ran() -> None:
    named = stack(maxGpus=64, instanceTypes=["g6.xlarge", "g6.48xlarge"])
    assert ceilings(named, use(nodes=1)) == [{"pools.main.maxGpus": 8}]
    assert ceilings(stack(maxGpus=64), use("g6.12xlarge", 1, per_node=4)) == [{"pools.main.maxGpus": 5}]
    assert ceilings(stack(maxGpus=64, instanceTypes=["g6.12xlarge"]), use("g6.12xlarge", 2, per_node=4)) == [
        {"pools.main.maxGpus": 12}
    ]


def test_a_ceiling_never_falls_below_what_nodes_had() -> None:
    assert ceilings(stack(maxGpus=64), use(gpus_peak=20)) == [{"pools.main.maxGpus": 20}]


def test_a_ceiling_never_falls_below_what_is_reserved() -> None:
    config = reserved_stack()
    assert ceilings(config, use("p5.48xlarge", 1, per_node=8, how="reserved")) == []


def quotas(config: StackConfig, near: float, held: float = 8) -> list[dict[str, Any]]:
    return [sets(one) for one in raise_quotas(config, seen(use(held_peak=held), quotas=quota(near)))]


def team(gpus: Any, **pool: Any) -> StackConfig:
    return builders.config(pools=[builders.pool(**pool)], tenants=[builders.tenant(gpus={"main": gpus})])


def test_a_tenant_at_its_quota_gets_more_where_the_pool_has_room() -> None:
    assert quotas(team(8, maxGpus=16), 0.25) == [{"tenants.team.gpus.main": 10}]
    assert quotas(team(8, maxGpus=16), 0.24) == []
    assert quotas(team(8, maxGpus=9), 1) == [{"tenants.team.gpus.main": 9}]
    assert quotas(team(8, maxGpus=8), 1) == []
    assert quotas(team(8, maxGpus=16), 1, held=15.5) == []


def test_a_quota_is_raised_where_it_can_be_though_another_pool_has_more_room() -> None:
    pools = [builders.pool(maxGpus=8), builders.pool(name="other", maxGpus=16)]
    config = builders.config(pools=pools, tenants=[builders.tenant(gpus={"main": 8, "other": 4})])
    measured = {"main": use(held_peak=0), "other": use(held_peak=14)}
    (one,) = raise_quotas(config, Observed(window=WEEK, pools=measured, quotas=quota(1)))
    assert sets(one) == {"tenants.team.gpus.other": 5}


def test_a_quota_of_a_name_that_two_pools_share_stays_within_the_ceiling_of_the_one_that_is_raised() -> None:
    pools = [builders.pool(maxGpus=9), builders.pool(name="other")]
    config = builders.config(pools=pools, tenants=[builders.tenant(gpus={"main": 8, "other": 8})])
    measured = {"main": use(held_peak=2), "other": use(held_peak=8)}
    (one,) = raise_quotas(config, Observed(window=WEEK, pools=measured, quotas=quota(1)))
    assert sets(one) == {"tenants.team.gpus.main": 9}


def test_a_larger_quota_costs_its_gpus_at_the_dearest() -> None:
    (one,) = raise_quotas(
        team(8, maxGpus=16, instanceTypes=["g6.xlarge"]), seen(use(held_peak=8), quotas=quota(1, 0.97))
    )
    price = on_demand("g6.xlarge", "us-east-1")
    assert price and one.saving == pytest.approx(-2 * (price.usd + 200 * 0.08 / 730) * 730, rel=0.01)
    assert "97% at its peak" in one.evidence[0]


def test_a_pool_that_is_used_well_gets_no_advice() -> None:
    told = advise(stack(maxGpus=7), seen(use()))
    assert told == Advice(proposals=(), alternatives=(), silent=(), free=()) and told.saving == 0


def test_steps_of_one_pool_are_counted_once() -> None:
    config = stack(purchase=["on-demand"], **A100)
    told = advise(config, seen(on_a100(node_hours={("p4d.24xlarge", "on-demand"): 168.0})))
    savings = [one.saving or 0 for one in told.proposals]
    assert len(savings) >= 2 and told.saving == max(savings) < sum(savings)


def test_what_is_about_to_be_emptied_gets_no_ceiling_and_no_commitment() -> None:
    config = stack(purchase=["on-demand"], **{**A100, "maxGpus": 64})
    told = advise(config, seen(on_a100(node_hours={("p4d.24xlarge", "on-demand"): 168.0})))
    assert {one.kind for one in told.proposals} == {"right-size", "purchase"}
    assert not any("commit" in one.title for one in told.proposals)


@pytest.mark.parametrize(
    ("window", "doubts", "level"),
    [
        (Window(days=7), (), "high"),
        (Window(days=7, coverage=0.89), (), "medium"),
        (Window(days=6), (), "medium"),
        (Window(days=1), (), "low"),
        (Window(days=30, coverage=0.05), (), "low"),
        (Window(days=7), ("a",), "medium"),
        (Window(days=7), ("a", "b", "c"), "low"),
    ],
)
def test_confidence_falls_with_the_window_and_each_doubt(window: Window, doubts: tuple[str, ...], level: str) -> None:
    found = judge_confidence(window, *doubts)
    assert found.level == level and all(doubt in found.reason for doubt in doubts)


def test_a_reservation_of_which_no_label_is_shown_is_not_given_back() -> None:
    """Reserved nodes ran; that no series names their reservation says that the label is not shown."""
    config = reserved_stack()
    ran = use("p5.48xlarge", 4, "reserved", per_node=8)
    assert list(give_back(config, seen(ran))) == []
    for unsure in ({"unknown_types": frozenset({""})}, {"unknown_types": frozenset({"p9.x"})}, {"gpus_peak": 0.0}):
        assert list(give_back(config, seen(use("p5.48xlarge", 4, "on-demand", per_node=8, **unsure)))) == []
    assert list(give_back(config, seen(use("p5.48xlarge", 4, "", per_node=8)))) == []
    (one,) = give_back(config, seen(use("p5.48xlarge", 4, "on-demand", per_node=8)))
    assert one.confidence.level != "high"


def test_no_ceiling_falls_below_what_services_may_grow_to() -> None:
    fields = builders.services(builders.service(replicas={"min": 1, "max": 20}))
    team = builders.tenant(gpus={"main": 20})
    config = builders.config(**fields, tenants=[team], pools=[builders.pool(maxGpus=32)])
    (one,) = lower_ceiling(config, config.pools[0], seen(use("g6.xlarge", 4, "on-demand")))
    assert sets(one)["pools.main.maxGpus"] == 20


@pytest.mark.parametrize(
    ("held", "room", "told"), [(2, None, True), (5, None, False), (2, {"pods": 4, "cpu": "2", "memory": "8Gi"}, False)]
)
def test_gpus_that_nobody_holds_are_told_of_unless_they_are_headroom(held: int, room: Any, told: bool) -> None:
    config = builders.config(pools=[builders.pool(instanceTypes=["g6.xlarge"], headroom=room)])
    found = advise(config, seen(use("g6.xlarge", 6, "on-demand", held_mean=held)))
    assert bool(found.free) is told
