"""Dashboards as they are rendered: in ConfigMaps that a sidecar finds, beside a Grafana or without one."""

import json
from typing import Any

import pytest

from gpu_blueprint.monitoring.dashboards import DASHBOARDS

from ...support import builders
from ...support.plans import SHIPPED, Plan, one, plan, plan_of, some

LARGEST = 2**20
"""Bytes that a ConfigMap may hold: etcd takes no more."""
EXISTING: dict[str, Any] = {"monitoring": {"mode": "existing", "labels": {"release": "prometheus"}}}
SECRET = "grafana-admin"


def watched(**fields: Any) -> Plan:
    """The plan of a stack that installs Prometheus."""
    return plan_of(builders.stack(**builders.monitoring(**fields)))


def grafana(planned: Plan) -> dict[str, Any]:
    found: dict[str, Any] = one(planned, "Release", "-monitoring-release").inputs["values"]["grafana"]
    return found


def maps(planned: Plan) -> list[Any]:
    return [found.inputs for found in some(planned, "ConfigMap", "-dashboards-")]


@pytest.mark.parametrize("stack", SHIPPED)
def test_dashboards_come_with_monitoring_and_only_then(stack: str) -> None:
    planned = plan(stack)
    assert len(maps(planned)) == (len(DASHBOARDS) if some(planned, "PrometheusRule") else 0)


@pytest.mark.parametrize(
    ("fields", "labels"),
    [
        (builders.monitoring(), {"grafana_dashboard": "1"}),
        (builders.monitoring(grafana=False), {"grafana_dashboard": "1"}),
        (EXISTING, {"grafana_dashboard": "1", "release": "prometheus"}),
    ],
    ids=["install", "without grafana", "existing"],
)
def test_each_dashboard_is_a_configmap_that_a_sidecar_finds(fields: dict[str, Any], labels: dict[str, str]) -> None:
    found = maps(plan_of(builders.stack(**fields)))
    assert {key for each in found for key in each["data"]} == {f"{page.uid}.json" for page in DASHBOARDS}
    for each in found:
        assert each["metadata"]["namespace"] == "monitoring" and each["metadata"]["labels"] == labels
        assert each["metadata"]["annotations"] == {"grafana_folder": "GPUs"}
        (text,) = each["data"].values()
        assert len(text.encode()) < LARGEST
        assert f"{json.loads(text)['uid']}.json" in each["data"]


def test_grafana_takes_its_password_from_a_secret_that_comes_first() -> None:
    planned = watched()
    admin = grafana(planned)["admin"]
    secret = one(planned, "Secret", "-monitoring-grafana")
    data = secret.inputs["stringData"]["$secret"]
    assert admin["existingSecret"] == secret.inputs["metadata"]["name"] == SECRET
    assert data == {admin["userKey"]: "admin", admin["passwordKey"]: {"$unknown": True}}
    assert secret.urn in one(planned, "Release", "-monitoring-release").dependencies
    assert "adminPassword" not in grafana(planned)


def test_the_sidecar_looks_for_what_we_make_where_we_make_it_and_nowhere_else() -> None:
    planned = watched()
    sidecar = grafana(planned)["sidecar"]
    metadata = maps(planned)[0]["metadata"]
    dashboards = sidecar["dashboards"]
    assert metadata["labels"] == {dashboards["label"]: dashboards["labelValue"]}
    assert [*metadata["annotations"]] == [dashboards["folderAnnotation"]]
    assert dashboards["provider"] == {"foldersFromFilesStructure": True}
    for part in sidecar.values():
        assert (part["enabled"], part["searchNamespace"], part["resource"]) == (True, "monitoring", "configmap")
    assert grafana(planned)["rbac"] == {"namespaced": True}


def test_nothing_leads_to_grafana_from_outside_and_it_keeps_nothing() -> None:
    assert not {"ingress", "route", "service"} & {*grafana(watched())}
    assert grafana(watched())["persistence"] == {"enabled": False}


@pytest.mark.parametrize("fields", [builders.monitoring(grafana=False), EXISTING], ids=["without grafana", "existing"])
def test_without_grafana_there_is_no_secret_for_it(fields: dict[str, Any]) -> None:
    planned = plan_of(builders.stack(**fields))
    assert some(planned, "Secret", "-grafana") == []
    for release in some(planned, "Release", "-monitoring-release"):
        assert release.inputs["values"]["grafana"] == {"enabled": False}
