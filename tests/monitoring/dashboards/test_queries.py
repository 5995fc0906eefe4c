"""Each query of a dashboard, asked of a real Prometheus that has watched a made-up fleet."""

import json
import re
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest

from gpu_blueprint.monitoring import rule_groups
from gpu_blueprint.monitoring.dashboards import DASHBOARDS
from gpu_blueprint.monitoring.dashboards.grafana import OVER_TIME

from ...support import generated_series
from ...support.dashboard_queries import Shown, config, filled, shown
from ...support.generated_series import END
from ...support.programs import needs_promtool
from ...support.prometheus_server import prometheus

Sample = dict[str, Any]


@pytest.fixture(scope="session")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A Prometheus that has watched the made-up fleet; its address."""
    groups = rule_groups(config())
    with prometheus(tmp_path_factory.mktemp("fleet"), generated_series.openmetrics(), groups) as url:
        yield url


def ask(url: str, expr: str, **chosen: str) -> list[Sample]:
    """What Prometheus answers at the end of the made-up hours."""
    return answer(f"{url}/api/v1/query", query=filled(expr, **chosen), time=END)


def ask_over_time(url: str, expr: str, **chosen: str) -> list[Sample]:
    """What it answers for the last hour."""
    expr = filled(expr, **chosen)
    return answer(f"{url}/api/v1/query_range", query=expr, start=END - 3600, end=END, step=60)


def answer(address: str, **asked: str | int) -> list[Sample]:
    try:
        with urllib.request.urlopen(f"{address}?{urllib.parse.urlencode(asked)}", timeout=30) as response:
            found: list[Sample] = json.load(response)["data"]["result"]
    except urllib.error.HTTPError as error:
        raise AssertionError(error.read().decode()) from None
    return found


@needs_promtool
@pytest.mark.parametrize("found", shown())
def test_a_query_finds_something_in_a_fleet_and_its_legend_has_labels(found: Shown, fleet: str) -> None:
    _, panel, query = found
    samples = (ask_over_time if panel.kind in OVER_TIME else ask)(fleet, query.expr)
    assert samples
    labels = re.findall(r"{{(\w+)}}", query.legend)
    assert [label for label in labels if not any(sample["metric"].get(label) for sample in samples)] == []
    told_apart = [tuple(sample["metric"].get(label) for label in labels) for sample in samples]
    assert panel.kind == "table" or len(told_apart) == len({*told_apart})


def value(url: str, page: str, title: str, number: int = 0, **chosen: str) -> float:
    """The one value of a query of a panel."""
    (panel,) = [
        one for dashboard in DASHBOARDS if dashboard.uid == page for one in dashboard.panels if one.title == title
    ]
    (sample,) = ask(url, panel.queries[number].expr, **chosen)
    return float(sample["value"][1])


L4, H100 = 1.1559, 6.8827
"""US dollars an hour, of g6.12xlarge and p5.48xlarge."""


@needs_promtool
@pytest.mark.parametrize(
    ("page", "title", "number", "chosen", "expected"),
    [
        ("gpu-fleet", "Spent an hour", 0, {"pool": "main|slices"}, 8 * L4 + 8 * H100),
        ("gpu-fleet", "Wasted an hour", 0, {"pool": "main"}, (2 + 2) * L4),
        ("gpu-fleet", "Wasted of it", 0, {"pool": "main"}, 0.5),
        # Free GPUs for 36 times five minutes, two idle ones from the second hour on.
        ("gpu-fleet", "Wasted in this time", 0, {"pool": "main"}, (36 * 2 + 25 * 2) / 12 * L4),
        ("gpu-fleet", "GPUs at work", 0, {}, (4 * 0.9 + 2 * 0.01 + 0.6 + 14 * 0.35 / 7) / 17),
        ("gpu-fleet", "Alerts", 0, {}, 2),
        ("gpu-pool", "Nodes", 0, {"pool": "main"}, 3),
        ("gpu-pool", "GPUs", 1, {"pool": "slices"}, 2),
        ("gpu-pool", "Ceiling used", 0, {"pool": "turns"}, 1 / 8),
        ("gpu-pool", "Pods waiting", 0, {"pool": "main"}, 1),
        ("gpu-pool", "Pods waiting", 0, {"pool": "slices"}, 0),
        ("gpu-tenant", "GPUs", 2, {"tenant": "team"}, 2),
        ("gpu-tenant", "GPUs", 2, {"tenant": "speech"}, 0),
        ("gpu-tenant", "Wasted an hour", 0, {"tenant": "team"}, 2 * L4),
        ("gpu-tenant", "Quota used", 0, {"namespace": "speech"}, 1),
        ("gpu-node-health", "Broken, no GPUs", 0, {}, 1),
        ("gpu-node-health", "Broken, no GPUs", 0, {"pool": "turns"}, 0),
        ("gpu-node-health", "Fatal Xid", 0, {}, 1),
        ("gpu-node-health", "Not measured", 0, {}, 1),
        ("gpu-node-health", "Classes, overlays", 0, {}, 2),
        ("gpu-autoscaling", "Longest wait", 0, {}, generated_series.WAITED_SECONDS),
        ("gpu-autoscaling", "Pods waiting for GPUs", 0, {"tenant": "speech"}, 0),
        ("gpu-autoscaling", "Autoscalers at their maximum", 0, {}, 1),
        ("gpu-autoscaling", "Pools at their ceiling", 0, {}, 1),
        ("gpu-autoscaling", "Pools at their ceiling", 0, {"pool": "turns"}, 0),
        # Two of main, and three of turns, whose counter began within the hour.
        ("gpu-autoscaling", "Nodes within an hour", 0, {}, 5),
        ("gpu-autoscaling", "Nodes within an hour", 1, {}, 3),
    ],
)  # fmt: skip
def test_a_number_is_what_the_fleet_was_made_with(
    page: str, title: str, number: int, chosen: dict[str, str], expected: float, fleet: str
) -> None:
    assert value(fleet, page, title, number, **chosen) == pytest.approx(expected, rel=0.03)


RECORDED = {
    "gpu_node:pool:info": 3,
    "gpu_pool:gpus:total": 8,
    "gpu_pod:units:allocated": 6,
    "gpu_pool_tenant:slices:allocated": 6,
    "gpu_pool_tenant:gpus:allocated": 6,
    "gpu_pool:gpus:free": 2,
    "gpu_device:active:ratio": 4 * 0.9 + 2 * 0.01,
    "gpu_device:share:gpus": 8,
    "gpu_pool_tenant:gpus:used": 4 * 0.9 + 2 * 0.01,
    "gpu_pool_tenant:sm_active:avg": 0.8 * (4 * 0.9 + 2 * 0.01) / 6,
    "gpu_pod:gpus:idle": 2,
    "gpu_pool_tenant:gpus:idle": 2,
    "gpu_pool:usd_per_gpu_hour:avg": L4,
    "gpu_pool_tenant:wasted_usd_per_hour:sum": 2 * L4,
    "gpu_pool:wasted_usd_per_hour:sum": 4 * L4,
}
"""Recorded series → its sum over the pool main."""


@needs_promtool
@pytest.mark.parametrize("name", RECORDED)
def test_a_recorded_series_is_what_the_fleet_was_made_with(name: str, fleet: str) -> None:
    (sample,) = ask(fleet, f'sum({name}{{pool="main"}})')
    assert float(sample["value"][1]) == pytest.approx(RECORDED[name])


@needs_promtool
def test_areas_of_what_gpus_do_add_up_to_all_of_them(fleet: str) -> None:
    (panel,) = [panel for panel in DASHBOARDS[0].panels if panel.title == "What GPUs do"]
    added = sum(float(ask(fleet, query.expr)[0]["value"][1]) for query in panel.queries)
    assert added == pytest.approx(8 + 1 + 8 + 1)


@needs_promtool
def test_nodes_to_choose_are_those_of_the_pool(fleet: str) -> None:
    (variable,) = [one for page in DASHBOARDS if page.uid == "gpu-pool" for one in page.variables if one.query]
    asked = re.fullmatch(r"label_values\((.+), node\)", filled(variable.query, pool="main"))
    assert asked
    assert {sample["metric"]["node"] for sample in ask(fleet, asked[1])} == {"n1", "n2", "n3"}
