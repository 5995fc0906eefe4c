"""What watches the platform, as it is rendered: in what order, with which labels, and where secrets do not stand."""

import json
import sys
from typing import Any

import pytest

from gpu_blueprint.catalog.dcgm_metrics import dcgm_csv
from gpu_blueprint.config.monitoring import InstallMonitoring
from gpu_blueprint.errors import ProgramError
from gpu_blueprint.monitoring import rule_groups
from gpu_blueprint.monitoring.metrics import DCGM_JOB, NAMESPACE_LABELS, NODE_LABELS

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


def test_gpu_series_name_the_pod_that_holds_the_gpu_and_its_node() -> None:
    (endpoint,) = one(watched(), "ServiceMonitor", "-dcgm").inputs["spec"]["endpoints"]
    named, dropped = endpoint["relabelings"]
    assert named == {"sourceLabels": ["__meta_kubernetes_pod_node_name"], "targetLabel": "node"}
    assert dropped["action"] == "labeldrop" and {"namespace", "pod", "container"} <= {*dropped["regex"].split("|")}
    assert one(watched(), "ServiceMonitor", "-dcgm").inputs["spec"]["selector"]["matchLabels"]["app"] == DCGM_JOB


def test_series_of_karpenter_keep_the_labels_that_it_gives_them() -> None:
    (endpoint,) = one(watched(), "ServiceMonitor", "-karpenter").inputs["spec"]["endpoints"]
    assert endpoint["honorLabels"] is True


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


def test_samples_outlive_a_stateful_set_and_nobody_ends_prometheus_by_http() -> None:
    spec = values(watched())["prometheus"]["prometheusSpec"]
    assert set(spec["persistentVolumeClaimRetentionPolicy"].values()) == {"Retain"}
    assert spec["reloadStrategy"] == "ProcessSignal"
    silences = values(watched())["alertmanager"]["alertmanagerSpec"]["storage"]["volumeClaimTemplate"]["spec"]
    assert silences["resources"]["requests"]["storage"] == "1Gi"


def test_only_monitoring_and_keda_reach_prometheus_and_alertmanager() -> None:
    planned = watched()
    doors = one(planned, "NetworkPolicy").inputs
    (behind,) = doors["spec"]["podSelector"]["matchExpressions"]
    assert doors["metadata"]["namespace"] == "monitoring" and behind["values"] == ["prometheus", "alertmanager"]
    ((guest,),) = [rule["from"] for rule in doors["spec"]["ingress"]]
    assert guest["namespaceSelector"]["matchExpressions"][0]["values"] == ["monitoring", "keda"]
    assert json.loads(one(planned, "Addon", "vpc-cni").inputs["configurationValues"]) == {"enableNetworkPolicy": "true"}
    own = plan_of(builders.stack(**EXISTING))
    assert some(own, "NetworkPolicy") == []
    assert "configurationValues" not in one(own, "Addon", "vpc-cni").inputs


def test_alerts_of_the_chart_that_fire_while_all_is_well_are_off() -> None:
    off = values(watched())["defaultRules"]["disabled"]
    assert off["KubeJobNotCompleted"] and off["KubeCPUQuotaOvercommit"] and "KubePodCrashLooping" not in off


def test_where_no_exporter_runs_none_is_scraped() -> None:
    planned = plan_of(builders.stack(pools=[builders.pool(ami={"family": "bottlerocket"})], **builders.monitoring()))
    assert [found.name for found in some(planned, "ServiceMonitor")] == ["gpu-test-monitoring-karpenter"]


def test_kube_state_metrics_shows_the_labels_that_rules_need() -> None:
    shown = values(watched())["kube-state-metrics"]
    assert shown["metricLabelsAllowlist"] == [
        f"nodes=[{','.join(NODE_LABELS)}]",
        f"namespaces=[{','.join(NAMESPACE_LABELS)}]",
    ]
    (overlay,) = shown["customResourceState"]["config"]["spec"]["resources"]
    assert f"{overlay['metricNamePrefix']}_{overlay['metrics'][0]['name']}" == "kube_nodeoverlay_status_condition"


def test_prometheus_sees_every_monitor_and_keeps_what_the_file_says() -> None:
    spec = values(watched(retentionDays=30, storageGib=200))["prometheus"]["prometheusSpec"]
    assert (spec["retention"], spec["retentionSize"]) == ("30d", "170GiB")
    assert spec["storageSpec"]["volumeClaimTemplate"]["spec"]["resources"] == {"requests": {"storage": "200Gi"}}
    assert spec["serviceMonitorSelectorNilUsesHelmValues"] is spec["ruleSelectorNilUsesHelmValues"] is False


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


@pytest.mark.parametrize(("user", "needed"), [({}, []), ({"username": "gpu"}, ["remoteWritePassword"])])
def test_who_writes_under_a_name_needs_a_password(user: dict[str, str], needed: list[str]) -> None:
    remote = {"mode": "endpoint", "url": "https://a.example.com/push", **user}
    watching = InstallMonitoring.model_validate({"mode": "install", "grafana": False, "remoteWrite": remote})
    assert watching.secrets == needed


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        (builders.monitoring(notify={}), "monitoring.notify"),
        (builders.notify(smtp=None), "monitoring.notify.smtp"),
        (builders.notify(emails=[]), "monitoring.notify.smtp"),
        (builders.notify(slackChannel="gpu"), "monitoring.notify.slackChannel"),
        (builders.monitoring(remoteWrite={"mode": "endpoint", "url": "http://a"}), "monitoring.remoteWrite.url"),
        (builders.monitoring(remoteWrite={"mode": "amp", "workspaceArn": builders.AMP_ARN.replace(builders.ACCOUNT, "4" * 12)}), "monitoring.remoteWrite.workspaceArn"),
        ({**builders.monitoring(), "tenants": [builders.tenant(namespace="monitoring")]}, "tenants.0.namespace"),
    ],
)  # fmt: skip
def test_what_cannot_work_is_refused(fields: dict[str, Any], path: str) -> None:
    assert [line.split(":")[0] for line in builders.problems(**fields)] == [path]


def test_missing_secrets_are_told_all_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["gpu_blueprint.plan.record"], "SECRET_KEYS", ())
    with pytest.raises(ProgramError) as caught:
        fresh_plan_of(builders.stack(**builders.notify()))
    told = str(caught.value)
    assert [key for key in ("grafanaPassword", *sorted(KEYS)) if f"pulumi config set --secret {key}" not in told] == []


OWN: dict[str, Any] = {"mode": "existing", "url": "http://prometheus.monitoring.svc:9090"}
SMTP = builders.SMTP


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"monitoring": {**OWN, "url": "http://p:99999"}}, "a port from 1 to 65535"),
        ({"monitoring": {**OWN, "url": "http://p:9090:9090"}}, "is not an address such as"),
        ({"monitoring": {**OWN, "url": "http://localhost:9090"}}, "is not what other pods reach"),
        ({"monitoring": {**OWN, "url": "http://LOCALHOST"}}, "is not what other pods reach"),
        ({"monitoring": {**OWN, "url": "http://0.0.0.0:9090"}}, "is not what other pods reach"),
        ({"monitoring": {**OWN, "url": "http://localhost-prom.mon.svc:9090"}}, ""),
        ({"monitoring": {**OWN, "url": "http://thanos.mon.svc.cluster.local.:9090"}}, ""),
        ({"monitoring": {**OWN, "url": "http://p:9090/api/v1/query"}}, "leave out /api/v1"),
        ({"monitoring": {**OWN, "url": "http://p.example.com/thanos"}}, ""),
        ({"monitoring": {**OWN, "labels": {"app.kubernetes.io/part-of": "kps"}}}, ""),
        (builders.monitoring(remoteWrite={"mode": "endpoint", "url": "https://:443/write"}), "is not an https:// address"),
        (builders.monitoring(remoteWrite={"mode": "endpoint", "url": "https://a:70000/write"}), "a port from 1 to 65535"),
        (builders.monitoring(remoteWrite={"mode": "endpoint", "url": "https://a:443/write"}), ""),
        (builders.notify(smtp={**SMTP, "host": "a:99999"}), "a port from 1 to 65535"),
        (builders.notify(smtp={**SMTP, "host": "-:25"}), "is not host:port"),
        (builders.notify(smtp={**SMTP, "username": " "}), "is not a user name"),
        (builders.notify(emails=["a@example.com", "A@example.com"]), "a@example.com"),
        ({"pools": [builders.pool(disruption={"expireAfter": "1s"})]}, "drivers and images"),
        ({"pools": [builders.pool(disruption={"expireAfter": "10m"})]}, ""),
        ({"pools": [builders.pool(disruption={"expireAfter": "9999999999999h"})]}, "that Kubernetes can count"),
    ],
)  # fmt: skip
def test_what_nobody_could_reach_or_wait_for_is_refused(fields: dict[str, Any], words: str) -> None:
    found = builders.problems(**fields)
    assert len(found) == bool(words) and all(words in line for line in found)
