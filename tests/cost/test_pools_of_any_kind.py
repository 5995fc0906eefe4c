"""What must hold of the cost of any pool, and reservations, fleets and unknown prices that once made it untrue."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpu_blueprint.config import StackConfig
from gpu_blueprint.cost import estimate
from gpu_blueprint.cost.estimate import as_json
from gpu_blueprint.cost.pools import ON_DEMAND, cost_of, terms_of

from ..support import builders
from ..support.catalogue_rows import MONTH, PRICE, gp3, hours

HERE = "us-east-1"
L4S = ["g6.xlarge", "g6.2xlarge", "g6.16xlarge", "g6.12xlarge"]


def reservation(kind: str = "p5.48xlarge", count: int = 2, **other: Any) -> dict[str, Any]:
    return {"id": "cr-0a1b2c3d", "instanceType": kind, "zone": "us-east-1a", "instances": count, **other}


def reserved(types: list[str], gpus: int, purchase: list[str], one: dict[str, Any], **other: Any) -> StackConfig:
    pool = builders.pool(
        instanceTypes=types, maxGpus=gpus, purchase=purchase, reservations=[{"id": one["id"]}], **other
    )
    return builders.config(pools=[pool], reservations=[one])


@given(
    types=st.lists(st.sampled_from(L4S), min_size=1, unique=True),
    gpus=st.integers(4, 64),
    purchase=st.sampled_from([["on-demand"], ["spot"], ["spot", "on-demand"]]),
    share=st.floats(0, 1),
)
@settings(max_examples=60, deadline=None)
def test_expected_lies_between_floor_and_ceiling_and_no_fleet_costs_more(
    types: list[str], gpus: int, purchase: list[str], share: float
) -> None:
    stack = builders.config(
        pools=[builders.pool(instanceTypes=types, maxGpus=gpus, purchase=purchase, expectedUtilization=share)]
    )
    pool = stack.pools[0]
    for terms in (ON_DEMAND, terms_of(stack, pool)):
        cost = cost_of(stack, pool, terms)
        assert cost.floor.month.known <= cost.expected.month.known <= cost.ceiling.month.known + 1e-6
    most = hours(cost_of(stack, pool, ON_DEMAND).ceiling)
    for row in stack.instances_of(pool):
        fleet = gpus // row.gpu_devices * (PRICE[row.instance_type, HERE] + gp3(HERE, 200))
        assert fleet <= most + 1e-6


def test_a_reservation_may_lie_idle_while_dearer_nodes_fill_the_ceiling() -> None:
    stack = reserved(["g6.xlarge", "g6.16xlarge"], 16, ["reserved", "on-demand"], reservation("g6.xlarge", 16))
    idle = 16 * PRICE["g6.xlarge", HERE]
    most = hours(cost_of(stack, stack.pools[0], ON_DEMAND).ceiling)
    assert most >= idle + 16 * (PRICE["g6.16xlarge", HERE] + gp3(HERE, 200))


def test_after_its_last_day_a_reservation_is_bought_on_demand() -> None:
    block = reservation(capacityBlock=True, usdPerHour=31.46, ends="2027-01-31")
    stack = reserved(["p5.48xlarge"], 16, ["reserved", "on-demand"], block)
    cost = cost_of(stack, stack.pools[0], ON_DEMAND)
    assert hours(cost.floor) == pytest.approx(2 * 31.46)
    assert hours(cost.ceiling) == pytest.approx(2 * (PRICE["p5.48xlarge", HERE] + gp3(HERE, 200)))
    alone = reserved(["p5.48xlarge"], 16, ["reserved"], block)
    assert hours(cost_of(alone, alone.pools[0], ON_DEMAND).ceiling) == pytest.approx(2 * (31.46 + gp3(HERE, 200)))


def test_a_pool_that_buys_only_what_is_reserved_runs_no_more() -> None:
    stack = reserved(["p5.48xlarge"], 64, ["reserved"], reservation())
    cost = cost_of(stack, stack.pools[0], ON_DEMAND)
    both = 2 * (PRICE["p5.48xlarge", HERE] + gp3(HERE, 200))
    assert [hours(cost.ceiling), hours(cost.expected)] == pytest.approx([both, both])
    assert estimate(stack).pools[0].slices["nvidia.com/gpu"][0].known == pytest.approx(both / 16)


def test_a_reservation_larger_than_the_pool_is_paid_whole() -> None:
    stack = reserved(["p5.48xlarge"], 8, ["reserved", "on-demand"], reservation())
    cost = cost_of(stack, stack.pools[0], ON_DEMAND)
    assert hours(cost.floor) == pytest.approx(2 * PRICE["p5.48xlarge", HERE])
    assert hours(cost.ceiling) == pytest.approx(2 * (PRICE["p5.48xlarge", HERE] + gp3(HERE, 200)))


def test_a_savings_plan_lowers_reservations_at_on_demand_rates() -> None:
    stack = reserved(["p5.48xlarge"], 16, ["reserved"], reservation())
    planned = StackConfig.model_validate(
        {**stack.model_dump(by_alias=True), "costs": {"savingsPlan": {"coverage": 1.0, "discount": 0.2}}}, strict=False
    )
    pool = planned.pools[0]
    assert hours(cost_of(planned, pool, terms_of(planned, pool)).floor) == pytest.approx(
        0.8 * 2 * PRICE["p5.48xlarge", HERE]
    )


def test_half_a_node_is_not_counted() -> None:
    stack = builders.config(pools=[builders.pool(instanceTypes=["p5.48xlarge"], maxGpus=12)])
    found = estimate(stack).pools[0]
    per_gpu = (PRICE["p5.48xlarge", HERE] + gp3(HERE, 200)) / 8
    assert hours(found.on_demand.ceiling) == pytest.approx(8 * per_gpu)
    assert [usd.known for usd in found.slices["nvidia.com/gpu"]] == pytest.approx([per_gpu, per_gpu])


def test_static_nodes_of_several_types_cost_something_in_between() -> None:
    static = builders.pool(instanceTypes=["g6.xlarge", "g6.16xlarge"], zones=["us-east-1a"], staticNodes=4, maxGpus=4)
    cost = estimate(builders.config(pools=[static])).pools[0].on_demand
    assert hours(cost.floor) == hours(cost.expected) == pytest.approx(4 * (PRICE["g6.xlarge", HERE] + gp3(HERE, 200)))
    assert hours(cost.ceiling) == pytest.approx(4 * (PRICE["g6.16xlarge", HERE] + gp3(HERE, 200)))


def test_a_type_without_price_makes_the_ceiling_of_static_nodes_unknown() -> None:
    types = {"instanceTypes": ["g6f.4xlarge", "gr6f.4xlarge"], "zones": ["us-west-2a"], "staticNodes": 2, "maxGpus": 2}
    found = estimate(builders.config("us-west-2", pools=[builders.pool(**types)]))
    assert found.pools[0].on_demand.ceiling.hour.exact is None
    assert "gr6f.4xlarge in us-west-2" in as_json(found)["unknownPrices"]


def test_system_nodes_may_be_of_their_dearest_type() -> None:
    nodes = {"systemNodes": {"instanceTypes": ["m6i.large", "m7i.4xlarge"]}}
    cost = estimate(builders.config(cluster=builders.cluster(**nodes))).platform
    assert hours(cost.ceiling) - hours(cost.floor) == pytest.approx(
        2 * (PRICE["m7i.4xlarge", HERE] - PRICE["m6i.large", HERE])
    )


def test_a_key_of_ones_own_costs_nothing_here() -> None:
    own = builders.cluster(secretsKeyArn="arn:aws:kms:us-east-1:111122223333:key/0a1b2c3d")
    names = [item.name for item in estimate(builders.config(cluster=own)).items]
    assert "KMS key" not in names and "KMS key" in [item.name for item in estimate(builders.config()).items]


def test_the_volumes_of_prometheus_and_alertmanager_are_paid_idle_as_well() -> None:
    watched = builders.config(monitoring={"mode": "install", "storageGib": 500})
    more = hours(estimate(watched).platform.floor) - hours(estimate(builders.config()).platform.floor)
    assert more == pytest.approx(gp3(HERE, 501))


def test_unused_gpus_have_no_price_in_use() -> None:
    stack = builders.config(pools=[builders.pool(expectedUtilization=0.0)])
    assert as_json(estimate(stack))["pools"][0]["perUnitHour"]["nvidia.com/gpu"]["expected"] is None


@pytest.mark.parametrize(
    ("one", "purchase"),
    [({"capacityBlock": True, "ends": "2027-01-31"}, ["reserved"]), ({"usdPerHour": 40.0}, ["reserved", "on-demand"]), ({"ends": "2027-01-31"}, ["reserved"])],
)  # fmt: skip
def test_no_plan_for_what_no_plan_lowers(one: dict[str, Any], purchase: list[str]) -> None:
    told = estimate(reserved(["p5.48xlarge"], 16, purchase, reservation(**one))).advice[0]
    assert told.kind == "none", told.text


def test_no_second_plan_for_what_a_plan_covers() -> None:
    pool = builders.pool(instanceTypes=["g6.xlarge"], expectedUtilization=1.0)
    halves = [
        estimate(builders.config(pools=[pool], costs={"savingsPlan": {"coverage": coverage, "discount": 0.17}})).advice[
            0
        ]
        for coverage in (0.0, 0.5, 1.0)
    ]
    none, half, whole = (one.usd_per_hour for one in halves)
    assert none and half and half[0] == pytest.approx(none[0] / 2, abs=0.01) and whole is None


def test_a_bound_in_whole_cents_is_kept() -> None:
    most = round(hours(estimate(builders.config()).cost.ceiling), 2)
    assert builders.problems(hourlyCeiling=most) == []


def test_the_platform_is_named_where_it_costs_most() -> None:
    (line,) = builders.problems(hourlyCeiling=100, reservations=[reservation(count=4)])
    assert "most of it by the platform itself ($220.52)" in line


def test_a_pool_on_reservations_is_told_to_give_them_back() -> None:
    pool = builders.pool(
        instanceTypes=["p5.48xlarge"], maxGpus=16, purchase=["reserved"], reservations=[{"id": "cr-0a1b2c3d"}]
    )
    (line,) = builders.problems(hourlyCeiling=100, reservations=[reservation()], pools=[pool])
    assert "give reservations back" in line


def test_every_month_of_a_pool_that_is_always_open_has_730_hours() -> None:
    cost = estimate(builders.config()).pools[0].on_demand.ceiling
    assert cost.month.known == pytest.approx(cost.hour.known * MONTH)
