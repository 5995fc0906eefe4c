"""Dashboards: what they speak of, where panels stand, and that each of them says something about a fleet in a real Prometheus."""

import json
import re
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
import yaml

from blueprint.config import StackConfig
from blueprint.monitoring import RECORDINGS, rule_groups
from blueprint.monitoring.dashboards import DASHBOARDS, Dashboard, Panel, Query, placed
from blueprint.monitoring.dashboards.grafana import OVER_TIME, dashboard_json
from blueprint.monitoring.dashboards.panels import GRID
from blueprint.monitoring.facts import FACTS
from blueprint.monitoring.metrics import METRICS

from . import builders, generated_series
from .generated_series import END
from .prometheus_server import prometheus
from .promql import labels_in, metrics_in
from .promtool import needs_promtool, promtool

Shown = tuple[Dashboard, Panel, Query]
Sample = dict[str, Any]

RECORDED = {*FACTS, *(rule.name for rule in RECORDINGS)}
CHOSEN = {"__rate_interval": "5m", "__range": "3h", "pool": ".+", "tenant": ".+", "namespace": ".+", "node": ".+"}
"""What Grafana puts in the place of its variables when everything is chosen."""


def shown() -> list[Any]:
    """Every query with its panel and page."""
    return [
        pytest.param((page, panel, query), id=f"{page.uid}: {panel.title} {number}")
        for page in DASHBOARDS
        for panel in page.panels
        for number, query in enumerate(panel.queries)
    ]


def each_panel() -> list[Any]:
    return [pytest.param(panel, id=f"{page.uid}: {panel.title}") for page in DASHBOARDS for panel in page.panels]


def filled(expr: str, **chosen: str) -> str:
    """An expression as Grafana sends it."""
    for name, value in {**CHOSEN, **chosen}.items():
        expr = re.sub(rf"\${name}\b", value, expr)
    assert "$" not in expr
    return expr


def config() -> StackConfig:
    return builders.config(**generated_series.STACK)


def as_json(page: Dashboard) -> Any:
    return json.loads(dashboard_json(config(), page))


@needs_promtool
def test_every_query_is_promql_to_promtool(tmp_path: Path) -> None:
    queries = [query.expr for page in DASHBOARDS for panel in page.panels for query in panel.queries]
    rules = [{"record": f"query:{number}", "expr": filled(expr)} for number, expr in enumerate(queries)]
    file = tmp_path / "rules.yaml"
    file.write_text(yaml.safe_dump({"groups": [{"name": "queries", "rules": rules}]}))
    ran = promtool("check", "rules", file)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert f"{len(queries)} rules found" in ran.stdout


@needs_promtool
def test_promtool_would_see_what_is_no_promql(tmp_path: Path) -> None:
    file = tmp_path / "rules.yaml"
    file.write_text(yaml.safe_dump({"groups": [{"name": "a", "rules": [{"record": "a:b", "expr": "sum(up"}]}]}))
    assert promtool("check", "rules", file).returncode != 0


@pytest.mark.parametrize("found", shown())
def test_a_query_speaks_only_of_metrics_and_labels_that_we_know(found: Shown) -> None:
    named = list(metrics_in(filled(found[2].expr)))
    assert named
    for name, matchers in named:
        assert name in METRICS or name in RECORDED, name
        if name in METRICS:
            assert labels_in(matchers) <= METRICS[name].labels, name


@pytest.mark.parametrize("found", shown())
def test_a_query_groups_by_labels_that_some_series_has(found: Shown) -> None:
    known = {label for metric in METRICS.values() for label in metric.labels} | {"pool", "tenant", "instance_type"}
    lists = re.findall(r"\b(?:by|on|group_left) \(([^)]*)\)", found[2].expr)
    assert {label for labels in lists for label in labels.split(", ") if label} <= known


@pytest.mark.parametrize("page", DASHBOARDS, ids=lambda page: page.uid)
def test_what_a_page_asks_for_can_be_chosen_on_it(page: Dashboard) -> None:
    chosen = {variable.name for variable in page.variables}
    asked = [*(query.expr for panel in page.panels for query in panel.queries), *(one.query for one in page.variables)]
    used = {name for expr in asked for name in re.findall(r"\$(\w+)", expr) if not name.startswith("__")}
    assert used == chosen


def test_pages_and_panels_are_told_apart() -> None:
    assert len({page.uid for page in DASHBOARDS}) == len({page.title for page in DASHBOARDS}) == len(DASHBOARDS) == 5
    for page in DASHBOARDS:
        numbers = [panel["id"] for panel in as_json(page)["panels"]]
        assert len({panel.title for panel in page.panels}) == len(page.panels)
        assert len(numbers) == len({*numbers}) == len(page.panels) + len(page.rows)


@pytest.mark.parametrize("page", DASHBOARDS, ids=lambda page: page.uid)
def test_panels_stand_on_the_grid_and_none_upon_another(page: Dashboard) -> None:
    places = [place for _, place in placed(page)]
    assert all(place.x >= 0 and place.x + place.width <= GRID and place.height > 0 for place in places)
    for one, other in combinations(places, 2):
        apart_x = one.x + one.width <= other.x or other.x + other.width <= one.x
        assert apart_x or one.y + one.height <= other.y or other.y + other.height <= one.y
    grid = [panel["gridPos"] for panel in as_json(page)["panels"]]
    assert grid == [{"x": at.x, "y": at.y, "w": at.width, "h": at.height} for at in places]


@pytest.mark.parametrize("panel", each_panel())
def test_a_panel_says_what_it_shows_and_fits_its_heading(panel: Panel) -> None:
    assert panel.about.endswith(".") and len(panel.about) > 30
    assert panel.queries and len(panel.title) <= panel.width * 7
    rising = [value for value, _ in panel.steps]
    assert rising == sorted(rising)
    if len(panel.queries) > 1:
        assert len({query.legend for query in panel.queries}) == len(panel.queries)


def test_pools_and_tenants_to_choose_are_those_of_the_stack() -> None:
    found = {one["name"]: one for page in DASHBOARDS for one in as_json(page)["templating"]["list"]}
    assert found["pool"]["query"] == "main,turns,slices,unseen"
    assert found["tenant"]["query"] == "team,speech,none"
    assert found["datasource"] == {**found["datasource"], "type": "datasource", "query": "prometheus"}
    assert all(one["includeAll"] and one["multi"] for name, one in found.items() if name != "datasource")


def test_a_page_of_one_pool_opens_with_one() -> None:
    opened = {page.uid: as_json(page)["templating"]["list"][1]["current"]["value"] for page in DASHBOARDS}
    everything = {uid: ["$__all"] for uid in ("gpu-fleet", "gpu-node-health", "gpu-autoscaling")}
    assert opened == {**everything, "gpu-pool": ["main"], "gpu-tenant": ["team"]}


def test_columns_of_a_table_bear_the_names_of_their_queries() -> None:
    (found,) = [panel for panel in as_json(DASHBOARDS[0])["panels"] if panel["title"] == "Pods that waste most"]
    renamed = found["transformations"][1]["options"]["renameByName"]
    assert (renamed["Value #A"], renamed["Value #B"]) == ("$ an hour", "GPUs")
    assert found["fieldConfig"]["overrides"] == [
        {
            "matcher": {"id": "byName", "options": "$ an hour"},
            "properties": [{"id": "unit", "value": "currencyUSD"}],
        }
    ]


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
        ("gpu-node-health", "Without GPUs", 0, {}, 1),
        ("gpu-node-health", "Without GPUs", 0, {"pool": "turns"}, 0),
        ("gpu-node-health", "Fatal Xid", 0, {}, 1),
        ("gpu-node-health", "Not measured", 0, {}, 1),
        ("gpu-node-health", "Classes, overlays", 0, {}, 2),
        ("gpu-autoscaling", "Longest wait", 0, {}, generated_series.WAITED_SECONDS),
        ("gpu-autoscaling", "Pods waiting for GPUs", 0, {"tenant": "speech"}, 0),
        ("gpu-autoscaling", "Autoscalers at their maximum", 0, {}, 1),
        ("gpu-autoscaling", "Pools at their ceiling", 0, {}, 1),
        # Two of main, and three of turns, whose counter began within the hour.
        ("gpu-autoscaling", "Nodes within an hour", 0, {}, 5),
        ("gpu-autoscaling", "Nodes within an hour", 1, {}, 3),
    ],
)  # fmt: skip
def test_a_number_is_what_the_fleet_was_made_with(
    page: str, title: str, number: int, chosen: dict[str, str], expected: float, fleet: str
) -> None:
    assert value(fleet, page, title, number, **chosen) == pytest.approx(expected, rel=0.03)


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
