"""The offers of pools: units with their part of a GPU, offerings from the cheapest on, and start times."""

from typing import Any

import pytest

from gpu_blueprint.cost.items import price_instance

from ..support.builders import REGION, pool
from ..support.replays import BOOT_S, offers

L4_GIB = 22888 / 1024
UNITS: list[Any] = [
    pytest.param({}, [(1.0, L4_GIB, False)], id="whole GPUs"),
    pytest.param({"sharing": {"mode": "time-slicing", "replicas": 4}}, [(0.25, L4_GIB / 4, False)], id="turns"),
    pytest.param({"sharing": {"mode": "mps", "replicas": 2}}, [(0.5, L4_GIB / 2, True)], id="MPS"),
    pytest.param({"instanceTypes": ["g6f.xlarge"]}, [(0.125, 2861 / 1024, True)], id="a fraction"),
    pytest.param(
        {"instanceTypes": ["p5.4xlarge"], "sharing": {"mode": "mig", "layout": {"3g.40gb": 1, "1g.10gb": 4}}},
        [(1 / 7, 10, True), (3 / 7, 40, True)],
        id="MIG",
    ),
    pytest.param(
        {"instanceTypes": ["p5.4xlarge"], "sharing": {"mode": "mig", "profile": "1g.10gb", "replicas": 2}},
        [(1 / 14, 5, True)],
        id="turns on MIG",
    ),
]


@pytest.mark.parametrize(("own", "expected"), UNITS)
def test_a_unit_is_a_part_of_a_gpu(own: dict[str, Any], expected: list[tuple[float, float, bool]]) -> None:
    (offer,) = offers(pool(**own))
    found = [(unit.share, unit.memory_gib, unit.is_hard) for unit in offer.units]
    assert [pytest.approx(unit, rel=0.001) for unit in expected] == found


def test_offerings_come_from_the_cheapest_on_with_their_prices() -> None:
    (offer,) = offers(pool(purchase=["spot", "on-demand"], instanceTypes=["g6.2xlarge", "g6.xlarge"]))
    kinds = [(each.machine.row.instance_type, each.capacity_type) for each in offer.offerings]
    assert kinds[:2] == [("g6.xlarge", "spot"), ("g6.2xlarge", "spot")]
    assert kinds[2:] == [("g6.xlarge", "on-demand"), ("g6.2xlarge", "on-demand")]
    listed = price_instance("g6.xlarge", REGION).known
    assert offer.offerings[2].rank[1] == listed < offer.offerings[2].hour.known < listed + 0.2


def test_a_savings_plan_lowers_on_demand_prices_and_no_choice() -> None:
    (plain,), (planned,) = offers(pool()), offers(pool(), costs={"savingsPlan": {"coverage": 0.5, "discount": 0.2}})
    assert plain.offerings[0].rank == planned.offerings[0].rank
    saved = plain.offerings[0].hour.known - planned.offerings[0].hour.known
    assert saved == pytest.approx(0.1 * plain.offerings[0].rank[1])


def test_a_node_takes_the_time_of_the_catalogue() -> None:
    times = [
        offers(pool(**own))[0].boot_s
        for own in (
            {},
            {"ami": {"family": "bottlerocket"}},
            {"instanceTypes": ["p5.4xlarge"], "sharing": {"mode": "mig", "profile": "1g.10gb"}},
        )
    ]
    assert times == [BOOT_S, 115, 220]
