"""What stacks cost: purchase, reservations, sharing, tenants, commitments, and what is not known."""

import re
from datetime import date

import pytest

from gpu_blueprint.catalog import prices
from gpu_blueprint.checks import find_warnings
from gpu_blueprint.cli.cost import stale
from gpu_blueprint.cost import Estimate, estimate
from gpu_blueprint.cost.estimate import as_json
from gpu_blueprint.cost.money import Usd
from gpu_blueprint.loading import load

from ..support import builders
from ..support.catalogue_rows import MONTH, PRICE, SERVICE, gp3, hours, rows
from ..support.plans import ROOT, SHIPPED


def of(**overrides: object) -> Estimate:
    return estimate(builders.config(**overrides))  # type: ignore[arg-type]


@pytest.mark.parametrize("name", SHIPPED)
def test_tenants_and_what_nobody_has_add_up_to_the_pools(name: str) -> None:
    found = estimate(load(name, ROOT / "stacks"))
    for case in ("floor", "expected", "ceiling"):
        pools = sum(getattr(pool.cost, case).month.known for pool in found.pools)
        shares = sum(getattr(cost, case).month.known for cost in found.tenants.values())
        assert shares == pytest.approx(pools)


@pytest.mark.parametrize("name", SHIPPED)
def test_nothing_expected_lies_outside_floor_and_ceiling(name: str) -> None:
    found = estimate(load(name, ROOT / "stacks"))
    for cost in (found.as_bought, *(pool.as_bought for pool in found.pools)):
        assert cost.floor.month.known <= cost.expected.month.known <= cost.ceiling.month.known


def test_a_pool_without_volume_speed_pays_for_fast_disks() -> None:
    """g5g has no local NVMe: 16,000 IOPS and 1,000 MiB/s make images quick, and cost."""
    found = of(pools=[builders.pool(instanceTypes=["g5g.xlarge"], maxGpus=1)])
    here = "us-east-1"
    iops, throughput = SERVICE["gp3-iops", here] * 13_000, SERVICE["gp3-throughput", here] * 875
    disk = gp3(here, 200) + (iops + throughput) / MONTH
    assert hours(found.pools[0].on_demand.ceiling) == pytest.approx(PRICE["g5g.xlarge", here] + disk)


def test_bottlerocket_has_a_second_volume() -> None:
    one, other = (
        of(pools=[builders.pool(instanceTypes=["g6.xlarge"], maxGpus=1, **ami)])
        for ami in ({}, {"ami": {"family": "bottlerocket"}})
    )
    more = hours(other.pools[0].on_demand.ceiling) - hours(one.pools[0].on_demand.ceiling)
    assert more == pytest.approx(gp3("us-east-1", 4))


def test_static_nodes_cost_the_same_whatever_runs() -> None:
    static = builders.pool(instanceTypes=["g6.xlarge"], zones=["us-east-1a"], staticNodes=3, maxGpus=3)
    cost = of(pools=[static]).pools[0].as_bought
    assert cost.floor == cost.expected == cost.ceiling
    assert hours(cost.floor) == pytest.approx(3 * (PRICE["g6.xlarge", "us-east-1"] + gp3("us-east-1", 200)))


def test_a_savings_plan_lowers_what_is_not_spot() -> None:
    plan = {"costs": {"savingsPlan": {"coverage": 0.5, "discount": 0.2}}}
    bare, planned = (of(pools=[builders.pool(instanceTypes=["g6.xlarge"], maxGpus=1)], **one) for one in ({}, plan))
    assert hours(planned.pools[0].as_bought.ceiling) == pytest.approx(
        hours(bare.pools[0].as_bought.ceiling) - 0.1 * PRICE["g6.xlarge", "us-east-1"]
    )
    assert planned.on_demand == bare.on_demand
    spot = [builders.pool(purchase=["spot"])]
    assert of(pools=spot, **plan).as_bought == of(pools=spot).as_bought


def _reserved(**reservation: object) -> Estimate:
    one = {"id": "cr-0a1b2c3d", "instanceType": "p5.48xlarge", "zone": "us-east-1a", "instances": 2, **reservation}
    user = builders.pool(
        instanceTypes=["p5.48xlarge"], maxGpus=24, purchase=["reserved", "on-demand"], reservations=[{"id": one["id"]}], expectedHours=100
    )  # fmt: skip
    return of(pools=[user], reservations=[one])


def test_a_reservation_is_paid_in_every_hour_and_used_first() -> None:
    cost = _reserved().pools[0].as_bought
    price, disk = PRICE["p5.48xlarge", "us-east-1"], gp3("us-east-1", 200)
    assert hours(cost.floor) == pytest.approx(2 * price)
    assert cost.expected.month.known == pytest.approx(2 * price * MONTH + 100 * (price + 3 * disk))
    assert hours(cost.ceiling) == pytest.approx(3 * price + 3 * disk)


def test_a_reservation_may_have_a_price_of_its_own() -> None:
    assert hours(_reserved(usdPerHour=40.0).pools[0].as_bought.floor) == 80


def test_a_capacity_block_has_no_known_price_until_it_is_said() -> None:
    block = {"capacityBlock": True, "ends": "2027-01-01"}
    found = _reserved(**block)
    assert found.as_bought.floor.hour.unknown == {"Capacity Block of p5.48xlarge"}
    assert as_json(found)["total"]["asBought"]["floor"] == {"hour": None, "month": None}
    assert hours(_reserved(**block, usdPerHour=39.8).pools[0].as_bought.floor) == pytest.approx(79.6)


def test_a_reservation_that_nobody_uses_is_paid_as_well() -> None:
    idle = {"id": "cr-0a1b2c3d", "instanceType": "p5.48xlarge", "zone": "us-east-1a", "instances": 2}
    more = hours(of(reservations=[idle]).platform.floor) - hours(of().platform.floor)
    assert more == pytest.approx(2 * PRICE["p5.48xlarge", "us-east-1"])


def test_a_reservation_of_two_pools_is_divided_by_their_ceilings() -> None:
    one = {"id": "cr-0a1b2c3d", "instanceType": "p5.48xlarge", "zone": "us-east-1a", "instances": 1}
    users = [
        builders.pool(name=name, instanceTypes=["p5.48xlarge"], purchase=["reserved"], reservations=[{"id": one["id"]}])
        for name in ("first", "second")
    ]
    found = of(pools=users, reservations=[one])
    assert [hours(pool.as_bought.floor) for pool in found.pools] == [PRICE["p5.48xlarge", "us-east-1"] / 2] * 2


def test_what_has_no_known_price_is_unknown_and_never_free() -> None:
    found = of(pools=[builders.pool(instanceTypes=["p5e.48xlarge"])], region="us-west-2")
    assert found.pools[0].on_demand.ceiling.hour.exact is None
    assert str(found.on_demand.ceiling.hour).startswith("> $")
    assert "p5e.48xlarge in us-west-2" in as_json(found)["unknownPrices"]
    assert as_json(found)["total"]["asBought"]["floor"]["hour"] is not None


@pytest.mark.parametrize(("bound", "usd"), [("hourlyCeiling", 10), ("monthlyBudget", 7300)])
def test_a_bound_is_held_against_what_is_known_and_says_so(bound: str, usd: int) -> None:
    stack = builders.config("us-west-2", pools=[builders.pool(instanceTypes=["p5e.48xlarge"])], **{bound: usd})
    told = [
        str(one)
        for one in find_warnings(stack, date(2026, 11, 21))
        if one.path[0] in ("hourlyCeiling", "monthlyBudget")
    ]
    assert told == [f"{bound}: no price is known of p5e.48xlarge in us-west-2, so the bound was held against the rest"]


def test_a_bound_that_is_just_reached_is_kept() -> None:
    most = hours(of().on_demand.ceiling)
    assert builders.problems(hourlyCeiling=most) == []
    (line,) = builders.problems(hourlyCeiling=most - 0.01)
    assert line.startswith("hourlyCeiling: ") and "most of it by pool main" in line


def test_a_disk_without_price_hides_no_gpu() -> None:
    """What is known of a node still counts against a bound."""
    found = of(pools=[builders.pool(instanceTypes=["g6.xlarge"])], region="ap-northeast-1")
    most = found.pools[0].on_demand.ceiling.hour
    assert most.unknown == {"gp3-storage in ap-northeast-1"}
    assert most.known == pytest.approx(8 * PRICE["g6.xlarge", "ap-northeast-1"])


def test_a_training_pool_may_run_on_after_its_hours() -> None:
    hours_ = {"timezone": "Europe/Berlin", "start": "08:00", "stop": "18:00"}
    lab, train = (
        of(pools=[builders.pool(instanceTypes=["g6.xlarge"], maxGpus=1, purpose=purpose, hours=hours_)]).pools[0]
        for purpose in ("notebook", "training")
    )
    a_month = 5 * 10 / (7 * 24) * MONTH
    assert lab.on_demand.ceiling.month.known == pytest.approx(a_month * hours(lab.on_demand.ceiling))
    assert train.on_demand.ceiling.month.known == pytest.approx(MONTH * hours(train.on_demand.ceiling))
    assert train.on_demand.expected.month.known == pytest.approx(lab.on_demand.expected.month.known)


def test_slices_of_several_profiles_cost_by_their_compute_slices() -> None:
    layout = {"mode": "mig", "layout": {"3g.40gb": 1, "2g.20gb": 1, "1g.10gb": 2}}
    cut = builders.pool(instanceTypes=["p5.4xlarge"], maxGpus=1, sharing=layout)
    team = builders.tenant(gpus={"main": {"3g.40gb": 1}})
    found = of(pools=[cut], tenants=[team])
    gpu = hours(found.pools[0].on_demand.ceiling)
    most = {name.removeprefix("nvidia.com/mig-"): usd.known for name, (_, usd) in found.pools[0].slices.items()}
    assert most == {
        name: pytest.approx(gpu * part / 7) for name, part in (("3g.40gb", 3), ("2g.20gb", 2), ("1g.10gb", 1))
    }
    assert hours(found.tenants["team"].ceiling) == pytest.approx(hours(found.pools[0].as_bought.ceiling) * 3 / 7)


def test_quotas_that_promise_more_than_there_is_divide_what_there_is() -> None:
    teams = [builders.tenant(name=name, gpus={"main": 8}) for name in ("a", "b")]
    found = of(pools=[builders.pool()], tenants=teams)
    whole = found.pools[0].as_bought.ceiling.month.known
    assert [cost.ceiling.month.known for cost in found.tenants.values()] == [whole / 2, whole / 2, 0]


def test_a_pool_that_says_nothing_is_expected_at_its_ceiling_and_said_so() -> None:
    found = of(pools=[builders.pool(instanceTypes=["g6.xlarge"])])
    assert found.pools[0].as_bought.expected.month == found.pools[0].as_bought.ceiling.month
    assert "main: nothing says how much is used" in found.assumptions[0]
    assert found.advice[0].text == "say expectedHours or expectedUtilization first"


def test_advice_shows_its_arithmetic() -> None:
    one = of(pools=[builders.pool(instanceTypes=["g6.xlarge"], maxGpus=10, expectedUtilization=0.8)]).advice[0]
    price = PRICE["g6.xlarge", "us-east-1"]
    low, high = 0.6 * 8 * price, 0.7 * 8 * price
    assert one.kind == "savings-plan"
    commit, saves = one.usd_per_hour or (), one.saves_per_month or ()
    assert list(commit) == pytest.approx([low * 0.83, high * 0.83], abs=0.01)
    assert list(saves) == pytest.approx([low * 0.17 * MONTH, high * 0.17 * MONTH], abs=0.01)
    for part in (
        "8.0 GPUs on average",
        "4.8 to 5.6 GPUs at $0.80",
        f"${low * 0.83:,.2f} to ${high * 0.83:,.2f} an hour",
    ):
        assert part in one.text


@pytest.mark.parametrize(
    ("pool", "words"),
    [
        ({"expectedHours": 200}, "pays from 606 hours on"),
        ({"expectedUtilization": 0.0}, "pays from 606 hours on"),
        ({"purchase": ["spot", "on-demand"], "expectedUtilization": 0.9}, "buys spot first"),
    ],
)
def test_no_commitment_for_what_is_not_steady(pool: dict[str, object], words: str) -> None:
    one = of(pools=[builders.pool(**pool)]).advice[0]
    assert one.kind == "none"
    assert words in one.text


def test_steady_training_on_scarce_types_deserves_a_reservation() -> None:
    train = builders.pool(instanceTypes=["p5.48xlarge"], maxGpus=32, purpose="training", expectedUtilization=0.9)
    one = of(pools=[train]).advice[0]
    assert one.kind == "reservation"
    assert "reserve 2 × p5.48xlarge" in one.text


def test_reservations_are_steady_whatever_runs() -> None:
    one = _reserved().advice[0]
    assert one.kind == "savings-plan"
    assert one.text.startswith("16.0 GPUs are reserved and paid in 730 of 730 hours")


def test_old_prices_are_said_with_their_day() -> None:
    found = of()
    l4s = re.compile(r"(g6|gr6)\.|m7i\.large")
    here = [row for row in rows("prices.csv") if row["region"] == "us-east-1" and l4s.match(row["instance_type"])]
    oldest = min(date.fromisoformat(row["as_of"]) for row in here)
    assert found.as_of == oldest
    assert stale(found, oldest + prices.STALE_AFTER) is None
    text = stale(found, date(2029, 1, 1))
    assert text is not None and str(oldest) in text and "tools.refresh_prices --region us-east-1" in text


@pytest.mark.parametrize(
    ("usd", "text"),
    [(Usd(1234.5), "$1,234.50"), (Usd(1.0, frozenset({"x"})), "> $1.00"), (Usd(unknown=frozenset({"x"})), "unknown")],
)
def test_dollars_say_what_is_missing(usd: Usd, text: str) -> None:
    assert str(usd) == text


def test_nothing_of_the_unknown_is_nothing() -> None:
    assert Usd(unknown=frozenset({"x"})) * 0 == Usd()
