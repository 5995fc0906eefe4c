"""Every rule against the real promtool, once so that it fires and once so that it is quiet; and what rules may speak of."""

import re
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from gpu_blueprint.catalog.dcgm_metrics import DCGM_FIELDS, FATAL_XIDS, dcgm_csv
from gpu_blueprint.config import StackConfig
from gpu_blueprint.live.advise.queries import Look, questions
from gpu_blueprint.monitoring import ALERTS, RECORDINGS, Alert, rule_groups
from gpu_blueprint.monitoring.dashboards import DASHBOARDS
from gpu_blueprint.monitoring.facts import FACTS, USD, facts
from gpu_blueprint.monitoring.metrics import METRICS

from ..support import builders, dashboard_queries
from ..support.catalogue_rows import PRICE, gp3
from ..support.plans import SHIPPED, shipped_config
from ..support.programs import needs_promtool, promtool
from ..support.promql import series_in
from . import alert_cases, recording_cases
from .alert_cases import AlertCase
from .recording_cases import RecordingCase

BY_NAME = {alert.name: alert for alert in ALERTS}
RECORDED = [*FACTS, *(rule.name for rule in RECORDINGS)]


@cache
def rules_by_name() -> dict[str, list[dict[str, Any]]]:
    """Name of an alert or of a recorded series → its rules; constants are several of one name."""
    found: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for group in rule_groups(builders.config(**alert_cases.STACK)):
        for rule in group["rules"]:
            found[rule.get("record") or rule["alert"]].append(rule)
    return found


def with_what_it_needs(name: str) -> list[dict[str, Any]]:
    """The rules of a name, after those of the recorded series that they speak of."""
    needed, todo = {name}, [name]
    while todo:
        for rule in rules_by_name()[todo.pop()]:
            new = {metric for metric, _ in series_in(rule["expr"]) if metric in RECORDED} - needed
            needed |= new
            todo += new
    return [rule for known, rules in rules_by_name().items() if known in needed for rule in rules]


def failures(folder: Path, tests: list[dict[str, Any]], rules: list[dict[str, Any]]) -> str:
    """What promtool has against tests of rules; nothing if they pass."""
    groups = [{"name": "tested", "rules": rules}]
    (folder / "rules.yaml").write_text(yaml.safe_dump({"groups": groups}, sort_keys=False))
    file = {"rule_files": ["rules.yaml"], "evaluation_interval": "1m", "tests": tests}
    (folder / "tests.yaml").write_text(yaml.safe_dump(file, sort_keys=False))
    ran = promtool("test", "rules", folder / "tests.yaml")
    return "" if ran.returncode == 0 else ran.stdout + ran.stderr


def as_test(case: AlertCase | RecordingCase) -> dict[str, Any]:
    """The case as promtool reads it."""
    series = [{"series": name, "values": values} for name, values in case.series.items()]
    about = _alert_test(case) if isinstance(case, AlertCase) else _recording_test(case)
    return {"interval": "1m", "input_series": series, **about}


def _alert_test(case: AlertCase) -> dict[str, Any]:
    rule = BY_NAME[case.alert].as_rule()
    expected = []
    if case.fires is not None:
        notes = {name: filled(text, case) for name, text in rule["annotations"].items()}
        expected = [{"exp_labels": {**rule["labels"], **case.fires}, "exp_annotations": notes}]
    return {"alert_rule_test": [{"eval_time": case.at, "alertname": case.alert, "exp_alerts": expected}]}


def filled(template: str, case: AlertCase) -> str:
    """What Prometheus makes of a template."""
    text = re.sub(r"{{ \$labels\.(\w+) }}", lambda found: (case.fires or {})[found[1]], template)
    return re.sub(r"{{ \$value.*? }}", case.value, text)


def _recording_test(case: RecordingCase) -> dict[str, Any]:
    samples = [{"labels": f"{case.rule}{{{labels}}}", "value": value} for labels, value in case.samples.items()]
    asked = f"{case.rule}{{{case.only}}}" if case.only else case.rule
    return {"promql_expr_test": [{"expr": asked, "eval_time": case.at, "exp_samples": samples}]}


def cases_of(name: str) -> list[AlertCase | RecordingCase]:
    found: dict[str, list[AlertCase | RecordingCase]] = defaultdict(list)
    for case in alert_cases.CASES:
        found[case.alert].append(case)
    for recording in recording_cases.CASES:
        found[recording.rule].append(recording)
    return found[name]


@needs_promtool
@pytest.mark.parametrize("name", [*BY_NAME, *RECORDED])
def test_a_rule_fires_and_is_quiet_as_it_should(name: str, tmp_path: Path) -> None:
    assert failures(tmp_path, [as_test(case) for case in cases_of(name)], with_what_it_needs(name)) == ""


@pytest.mark.parametrize("name", BY_NAME)
def test_an_alert_has_a_case_that_fires_and_one_that_is_quiet(name: str) -> None:
    fires = [isinstance(case, AlertCase) and case.fires is not None for case in cases_of(name)]
    assert {*fires} == {True, False}


@pytest.mark.parametrize("name", RECORDED)
def test_a_recorded_series_has_a_case_with_and_one_without_a_value(name: str) -> None:
    says = [isinstance(case, RecordingCase) and case.says_something for case in cases_of(name)]
    assert {*says} == {True, False}


def test_every_case_is_of_a_rule() -> None:
    assert {case.alert for case in alert_cases.CASES} == {*BY_NAME}
    assert {case.rule for case in recording_cases.CASES} == {*RECORDED}


@needs_promtool
@pytest.mark.parametrize(("broken", "fires"), [("vector(0) > 1", True), ("vector(1)", False)])
def test_broken_alerts_would_be_seen(broken: str, fires: bool, tmp_path: Path) -> None:
    """An expression that is never true fails each case that fires; one that always is, each that is quiet."""
    rules = [{**alert.as_rule(), "expr": broken, "for": "0m", "annotations": {}} for alert in ALERTS]
    cases = [case for case in alert_cases.CASES if (case.fires is not None) is fires]
    told = failures(tmp_path, [as_test(case) for case in cases], rules)
    assert set(re.findall(r"alertname:\s*(\w+)", told)) == {*BY_NAME}


@needs_promtool
@pytest.mark.parametrize("stack", [*SHIPPED, "cases"])
def test_the_rules_of_a_stack_are_rules_to_promtool(stack: str, tmp_path: Path) -> None:
    config: StackConfig = builders.config(**alert_cases.STACK) if stack == "cases" else shipped_config(stack)
    file = tmp_path / "rules.yaml"
    file.write_text(yaml.safe_dump({"groups": rule_groups(config)}))
    ran = promtool("check", "rules", file)
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_a_savings_plan_lowers_the_prices_of_nodes_on_demand_and_of_reserved_ones() -> None:
    plan = {"savingsPlan": {"coverage": 0.5, "discount": 0.2}}
    rules = [rule for rule in facts(builders.config(**alert_cases.STACK, costs=plan)) if rule["record"] == USD]
    found = {rule["labels"]["pool"]: float(rule["expr"][len("vector(") : -1]) for rule in rules}
    volume = gp3(builders.REGION, 200)
    for pool, kind, gpus in (("main", "g6.12xlarge", 4), ("held", "p5.48xlarge", 8)):
        assert found[pool] == pytest.approx((0.9 * PRICE[kind, builders.REGION] + volume) / gpus, abs=1e-4)


@pytest.mark.parametrize(
    ("reservation", "usd"),
    [
        ({}, 0.9 * PRICE["p5.48xlarge", builders.REGION]),
        ({"usdPerHour": 10}, 10),
        ({"capacityBlock": True, "ends": "2999-01-31"}, None),
        ({"capacityBlock": True, "ends": "2999-01-31", "usdPerHour": 31}, 31),
    ],
)
def test_reserved_gpus_have_the_price_that_is_paid(reservation: dict[str, Any], usd: float | None) -> None:
    stack = {**alert_cases.STACK, "reservations": [{**alert_cases.STACK["reservations"][0], **reservation}]}
    plan = {"savingsPlan": {"coverage": 0.5, "discount": 0.2}}
    rules = [rule for rule in facts(builders.config(**stack, costs=plan)) if rule["record"] == USD]
    found = [rule["expr"] for rule in rules if rule["labels"]["pool"] == "held"]
    volume = gp3(builders.REGION, 200)
    assert [float(one[len("vector(") : -1]) for one in found] == (
        [] if usd is None else [pytest.approx((usd + volume) / 8, abs=1e-4)]
    )


def expressions() -> list[Any]:
    rules = [(rule.name, rule.expr) for rule in RECORDINGS] + [(rule.name, rule.expr) for rule in ALERTS]
    return [pytest.param(expr, id=name) for name, expr in rules]


@pytest.mark.parametrize("expr", expressions())
def test_a_rule_speaks_only_of_metrics_and_labels_that_we_know(expr: str) -> None:
    found = series_in(expr)
    assert found
    for name, labels in found:
        assert name in METRICS or name in RECORDED, name
        if name in METRICS:
            assert labels - {"job"} <= METRICS[name].labels, name


@pytest.mark.parametrize("expr", [pytest.param(expr, id=name) for name, expr in questions(Look(7)).items()])
def test_advise_asks_only_for_metrics_that_we_know(expr: str) -> None:
    found = series_in(expr)
    assert found and all(name in METRICS or name in RECORDED for name, _ in found)


def test_the_reader_of_expressions_sees_what_is_there() -> None:
    expr = 'sum by (pool) (rate(a_total{x=~"b|c"}[5m])) / on (y) group_left (z) max(d:e offset 1h) > bool 0 or label_replace(f, "g", "$1", "h", "(.+)")'
    assert series_in(expr) == [("a_total", {"x"}), ("d:e", set()), ("f", set())]


def test_every_metric_of_the_list_is_used_shown_or_exported_for_people() -> None:
    shown = [
        dashboard_queries.filled(query.expr) for page in DASHBOARDS for panel in page.panels for query in panel.queries
    ]
    told = [rule.expr for rule in RECORDINGS] + [rule.expr for rule in ALERTS]
    used = {name for expr in (*told, *shown) for name, _ in series_in(expr)}
    assert {*METRICS} - used <= {field.name for field in DCGM_FIELDS}


def test_the_exporters_list_has_three_fields_a_line() -> None:
    lines = dcgm_csv().splitlines()
    assert len(lines) == len({field.name for field in DCGM_FIELDS}) == len(DCGM_FIELDS)
    assert [line for line in lines if line.count(",") != 2 or '"' in line or "#" in line] == []


def test_faults_of_programs_are_not_fatal() -> None:
    assert not {13, 31, 43, 45, 63, 92, 94, 155, 156} & {*FATAL_XIDS}


@pytest.mark.parametrize("alert", ALERTS, ids=lambda alert: alert.name)
def test_an_alert_says_what_it_costs_and_what_to_do(alert: Alert) -> None:
    assert alert.costs.endswith(".") and not alert.summary.endswith(".")
    assert alert.steps and all(step.endswith((".", "?")) for step in alert.steps)
    assert alert.runbook == f"docs/alerts.md#{alert.name.lower()}"
