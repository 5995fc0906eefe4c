"""The queries of all dashboards: PromQL that promtool accepts, over known metrics and labels."""

import re
from pathlib import Path

import pytest
import yaml

from gpu_blueprint.monitoring.dashboards import DASHBOARDS, Dashboard
from gpu_blueprint.monitoring.metrics import METRICS

from ...support.dashboard_queries import QUERIES, PlacedQuery, fill_variables
from ...support.programs import needs_promtool, promtool
from ...support.promql import list_series
from ..cases.rules import RECORDED


@needs_promtool
@pytest.mark.reads("dashboard-queries")
def test_promtool_accepts_every_query(tmp_path: Path) -> None:
    rules = [
        {"record": f"query:{number}", "expr": fill_variables(each.query.expr)} for number, each in enumerate(QUERIES)
    ]
    file = tmp_path / "rules.yaml"
    file.write_text(yaml.safe_dump({"groups": [{"name": "queries", "rules": rules}]}))
    ran = promtool("check", "rules", file)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert f"{len(QUERIES)} rules found" in ran.stdout


@needs_promtool
@pytest.mark.reads("dashboard-queries", refused=True)
def test_promtool_refuses_text_that_is_no_promql(tmp_path: Path) -> None:
    file = tmp_path / "rules.yaml"
    file.write_text(yaml.safe_dump({"groups": [{"name": "a", "rules": [{"record": "a:b", "expr": "sum(up"}]}]}))
    assert promtool("check", "rules", file).returncode != 0


@pytest.mark.parametrize("each", QUERIES, ids=str)
def test_a_query_reads_only_known_metrics_and_labels(each: PlacedQuery) -> None:
    found = list_series(fill_variables(each.query.expr))
    assert found
    for name, labels in found:
        assert name in METRICS or name in RECORDED, name
        if name in METRICS:
            assert labels <= METRICS[name].labels, name


@pytest.mark.parametrize("each", QUERIES, ids=str)
def test_a_query_groups_by_labels_that_some_series_has(each: PlacedQuery) -> None:
    known = {label for metric in METRICS.values() for label in metric.labels} | {"pool", "tenant", "instance_type"}
    lists = re.findall(r"\b(?:by|on|group_left) \(([^)]*)\)", each.query.expr)
    assert {label for labels in lists for label in labels.split(", ") if label} <= known


@pytest.mark.parametrize("page", DASHBOARDS, ids=lambda page: page.uid)
def test_a_dashboard_offers_the_variables_that_its_queries_use(page: Dashboard) -> None:
    offered = {variable.name for variable in page.variables}
    expressions = [query.expr for panel in page.panels for query in panel.queries]
    expressions += [variable.query for variable in page.variables]
    used = {name for expr in expressions for name in re.findall(r"\$(\w+)", expr) if not name.startswith("__")}
    assert used == offered
