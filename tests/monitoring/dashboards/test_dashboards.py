"""Dashboards: what they speak of, where panels stand, and what Grafana is told of them."""

import json
import re
from itertools import combinations, groupby
from pathlib import Path
from typing import Any

import pytest
import yaml

from gpu_blueprint.monitoring import RECORDINGS
from gpu_blueprint.monitoring.dashboards import DASHBOARDS, Dashboard, Panel, placed
from gpu_blueprint.monitoring.dashboards.grafana import OVER_TIME, dashboard_json
from gpu_blueprint.monitoring.dashboards.panels import GRID, Kind
from gpu_blueprint.monitoring.facts import FACTS
from gpu_blueprint.monitoring.metrics import METRICS

from ...support.dashboard_queries import Shown, config, filled, shown
from ...support.programs import needs_promtool, promtool
from ...support.promql import series_in

RECORDED = {*FACTS, *(rule.name for rule in RECORDINGS)}
TYPES: dict[Kind, str] = {
    "number": "stat",
    "lines": "timeseries",
    "areas": "timeseries",
    "bars": "timeseries",
    "ranking": "bargauge",
    "table": "table",
}


def each_panel() -> list[Any]:
    return [pytest.param(panel, id=f"{page.uid}: {panel.title}") for page in DASHBOARDS for panel in page.panels]


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
    named = series_in(filled(found[2].expr))
    assert named
    for name, labels in named:
        assert name in METRICS or name in RECORDED, name
        if name in METRICS:
            assert labels <= METRICS[name].labels, name


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


@pytest.mark.parametrize("page", DASHBOARDS, ids=lambda page: page.uid)
def test_panels_fill_each_line_of_the_grid(page: Dashboard) -> None:
    for _, line in groupby(placed(page), key=lambda found: found[1].y):
        places = [place for _, place in line]
        assert sum(place.width for place in places) == GRID
        assert len({place.height for place in places}) == 1


@pytest.mark.parametrize("page", DASHBOARDS, ids=lambda page: page.uid)
def test_grafana_is_told_what_the_values_say(page: Dashboard) -> None:
    built = [panel for panel in as_json(page)["panels"] if panel["type"] != "row"]
    for panel, made in zip(page.panels, built, strict=True):
        defaults = made["fieldConfig"]["defaults"]
        assert (made["type"], made["title"], made["description"]) == (TYPES[panel.kind], panel.title, panel.about)
        assert (defaults["unit"], defaults.get("noValue", ""), defaults.get("max")) == (
            panel.unit,
            panel.nothing,
            panel.most,
        )
        steps = [(step["value"], step["color"]) for step in defaults["thresholds"]["steps"]]
        assert steps == [(None, "green" if panel.steps else "text"), *panel.steps]
        assert [target["expr"] for target in made["targets"]] == [query.expr for query in panel.queries]
        for target in made["targets"]:
            assert target["range"] is (panel.kind in OVER_TIME) is not target["instant"]
            assert (target.get("format") == "table") is (panel.kind == "table")
            assert target.get("interval") == ("1h" if panel.kind == "bars" else None)
            assert target["datasource"] == made["datasource"] == {"type": "prometheus", "uid": "${datasource}"}


def overrides(uid: str, title: str) -> dict[str, dict[str, Any]]:
    """Query or column → what it says of itself, in a panel of a page."""
    (page,) = [page for page in DASHBOARDS if page.uid == uid]
    (found,) = [one for one in as_json(page)["panels"] if one["title"] == title and one["type"] != "row"]
    own = found["fieldConfig"]["overrides"]
    return {each["matcher"]["options"]: {one["id"]: one["value"] for one in each["properties"]} for each in own}


def test_a_query_may_have_a_colour_a_unit_and_thresholds_of_its_own() -> None:
    wasted = overrides("gpu-fleet", "US dollars an hour")["B"]
    assert wasted == {"color": {"mode": "fixed", "fixedColor": "red"}}
    failed = overrides("gpu-node-health", "Row remaps")["failed"]
    assert [step["color"] for step in failed["thresholds"]["steps"]] == ["green", "red"]
    assert failed["custom.cellOptions"] == {"type": "color-text"}
    assert overrides("gpu-fleet", "Pools")["$/GPU h"] == {"unit": "currencyUSD"}
    idle = overrides("gpu-tenant", "GPUs")["C"]
    assert idle["thresholds"]["steps"][-1] == {"value": 1, "color": "red"}


def test_the_text_is_the_same_every_time() -> None:
    for page in DASHBOARDS:
        assert dashboard_json(config(), page) == dashboard_json(config(), page)
