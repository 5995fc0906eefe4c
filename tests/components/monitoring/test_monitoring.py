"""What watches the platform, as it is rendered: in what order, with which labels, and where secrets do not stand."""

import json
import sys
from typing import Any

import pytest

from gpu_blueprint.catalog.dcgm_metrics import dcgm_csv
from gpu_blueprint.errors import ProgramError
from gpu_blueprint.monitoring import rule_groups

from ...support import builders
from ...support.plans import Plan, fresh_plan_of, one, plan, plan_of, some
from .test_alert_routes import KEYS

EXISTING: dict[str, Any] = {"monitoring": {"mode": "existing", "labels": {"release": "prometheus"}}}


def watched(**fields: Any) -> Plan:
    """The plan of a stack that installs Prometheus."""
    return plan_of(builders.stack(**builders.monitoring(**fields)))


def values(planned: Plan) -> dict[str, Any]:
    found: dict[str, Any] = one(planned, "Release", "-monitoring-release").inputs["values"]
    return found


@pytest.mark.parametrize("stack", ["dev", "research"])
def test_without_monitoring_nothing_is_made_and_the_exporter_keeps_its_list(stack: str) -> None:
    assert some(plan(stack), "PrometheusRule") == some(plan(stack), "ServiceMonitor") == []
    exporter = one(plan(stack), "Release", "-gpu-operator-").inputs["values"]["dcgmExporter"]
    assert exporter == {"enabled": True, "serviceMonitor": {"enabled": False}}


@pytest.mark.parametrize("fields", [builders.monitoring(), EXISTING], ids=["install", "existing"])
def test_definitions_come_before_monitors_and_before_the_gpu_operator(fields: dict[str, Any]) -> None:
    planned = plan_of(builders.stack(**fields))
    crds = one(planned, "Release", "-monitoring-crd").urn
    waiting = [
        *some(planned, "ServiceMonitor"),
        one(planned, "PrometheusRule"),
        one(planned, "Release", "-gpu-operator-"),
    ]
    assert len(waiting) == 4
    assert all(crds in found.dependencies for found in waiting)


def test_a_team_with_its_own_prometheus_gets_definitions_monitors_rules_and_dashboards_alone() -> None:
    planned = plan_of(builders.stack(**EXISTING))
    assert [found.name for found in some(planned, "Release", "-monitoring-")] == ["gpu-test-monitoring-crd"]
    for found in [one(planned, "PrometheusRule"), *some(planned, "ServiceMonitor")]:
        assert found.inputs["metadata"]["labels"] == {"release": "prometheus"}


def test_the_rules_in_the_cluster_are_those_that_promtool_has_tested() -> None:
    config = builders.config(**builders.monitoring())
    assert one(watched(), "PrometheusRule").inputs["spec"] == {"groups": rule_groups(config)}


def test_the_exporter_gets_our_list_and_tells_apart_pods_that_share_a_gpu() -> None:
    exporter = one(watched(), "Release", "-gpu-operator-").inputs["values"]["dcgmExporter"]
    assert exporter["config"] == {"name": "dcgm-metrics"}
    assert {"name": "KUBERNETES_VIRTUAL_GPUS", "value": "true"} in exporter["env"]
    assert {"name": "NVIDIA_RESOURCE_NAMES", "value": "nvidia.com/gpu.shared"} in exporter["env"]
    listed = one(watched(), "ConfigMap", "-gpu-operator-metrics")
    assert listed.inputs["data"] == {"dcgm-metrics.csv": dcgm_csv()}
    assert listed.urn in one(watched(), "Release", "-gpu-operator-").dependencies


def test_what_a_teams_own_prometheus_shares_stays_when_ours_goes() -> None:
    for planned, kept in ((plan_of(builders.stack(**EXISTING)), True), (watched(), False)):
        namespace, crds = one(planned, "Namespace", "-monitoring-"), one(planned, "Release", "-monitoring-crd")
        assert [bool(one.options.get("retainOnDelete")) for one in (namespace, crds)] == [kept, kept]
        assert crds.inputs.get("takeOwnership", False) is kept


def test_prometheus_writes_to_amp_as_itself_and_nothing_else() -> None:
    planned = watched(remoteWrite={"mode": "amp", "workspaceArn": builders.AMP_ARN})
    url = "https://aps-workspaces.us-east-1.amazonaws.com/workspaces/ws-0a1b2c3d/api/v1/remote_write"
    assert values(planned)["prometheus"]["prometheusSpec"]["remoteWrite"] == [
        {"url": url, "sigv4": {"region": "us-east-1"}}
    ]
    policy = json.loads(one(planned, "Policy", "-monitoring-remote-write").inputs["policy"])
    assert policy["Statement"] == [{"Effect": "Allow", "Action": ["aps:RemoteWrite"], "Resource": [builders.AMP_ARN]}]
    identity = one(planned, "PodIdentityAssociation", "-monitoring-identity")
    assert identity.inputs["serviceAccount"] == values(planned)["prometheus"]["serviceAccount"]["name"]
    assert identity.urn in one(planned, "Release", "-monitoring-release").dependencies


def test_secrets_are_unknown_in_a_preview_and_stand_in_no_value() -> None:
    remote = {"mode": "endpoint", "url": "https://a.example.com/push", "username": "gpu"}
    stack = builders.notify()
    stack["monitoring"]["remoteWrite"] = remote
    planned = plan_of(builders.stack(**stack))
    routes = one(planned, "Secret", "-routes").inputs["stringData"]["$secret"]
    assert {*routes} == KEYS and all(value == {"$unknown": True} for value in routes.values())
    assert one(planned, "Secret", "-remote-write").inputs["stringData"]["$secret"]["password"] == {"$unknown": True}
    (written,) = values(planned)["prometheus"]["prometheusSpec"]["remoteWrite"]
    assert written["basicAuth"]["password"] == {"name": "remote-write", "key": "password"}
    assert values(planned)["alertmanager"]["alertmanagerSpec"]["secrets"] == ["alert-routes"]


def test_missing_secrets_are_told_all_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["gpu_blueprint.plan.record"], "SECRET_KEYS", ())
    with pytest.raises(ProgramError) as caught:
        fresh_plan_of(builders.stack(**builders.notify()))
    told = str(caught.value)
    assert [key for key in ("grafanaPassword", *sorted(KEYS)) if f"pulumi config set --secret {key}" not in told] == []
