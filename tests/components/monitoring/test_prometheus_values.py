"""The values of kube-prometheus-stack."""

from gpu_blueprint.monitoring.metrics import NAMESPACE_LABELS, NODE_LABELS

from ...support import builders
from ...support.plans import one, plan_of
from .test_monitoring import values, watched


def test_samples_outlive_a_stateful_set_and_nobody_ends_prometheus_by_http() -> None:
    spec = values(watched())["prometheus"]["prometheusSpec"]
    assert set(spec["persistentVolumeClaimRetentionPolicy"].values()) == {"Retain"}
    assert spec["reloadStrategy"] == "ProcessSignal"
    silences = values(watched())["alertmanager"]["alertmanagerSpec"]["storage"]["volumeClaimTemplate"]["spec"]
    assert silences["resources"]["requests"]["storage"] == "1Gi"


def test_alerts_of_the_chart_that_fire_while_all_is_well_are_off() -> None:
    off = values(watched())["defaultRules"]["disabled"]
    assert off["KubeJobNotCompleted"] and off["KubeCPUQuotaOvercommit"] and "KubePodCrashLooping" not in off


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


def test_series_of_a_service_are_stamped_with_its_namespace() -> None:
    spec = one(plan_of(builders.stack(**builders.services())), "Release", "-monitoring-release").inputs["values"][
        "prometheus"
    ]["prometheusSpec"]
    assert spec["enforcedNamespaceLabel"] == "namespace"
    assert {(one["resource"], one["namespace"]) for one in spec["excludedFromEnforcement"]} >= {
        ("servicemonitors", "monitoring"),
        ("prometheusrules", "monitoring"),
    }
    # The chart's own monitors of kubelets, API server and CoreDNS read Prometheus's token from a file.
    assert "arbitraryFSAccessThroughSMs" not in spec
