"""Prometheus's configuration from PodMonitors."""

from typing import Any

import pytest

from gpu_blueprint.errors import LabError
from lab.scaling.pod_monitors import build_scrape_configs

from ...support.serving_pods import pod_monitor


def build(monitor: dict[str, Any]) -> dict[str, Any]:
    (job,) = build_scrape_configs(monitor, "http://127.0.0.1:1/targets/", "http://127.0.0.1:1")
    return job


def test_a_job_scrapes_as_the_monitor_says() -> None:
    job = build(pod_monitor())
    assert job["job_name"] == "podMonitor/serving/chat/0"
    assert (job["scrape_interval"], job["metrics_path"], job["sample_limit"]) == ("15s", "/metrics", 10_000)
    assert job["http_sd_configs"][0]["url"] == "http://127.0.0.1:1/targets/serving"
    assert job["proxy_url"] == "http://127.0.0.1:1"


def test_series_get_the_name_of_the_monitor_as_their_job() -> None:
    assert {"target_label": "job", "replacement": "serving/chat"} in build(pod_monitor())["relabel_configs"]


def test_pods_are_chosen_by_their_labels_and_their_port() -> None:
    rules = build(pod_monitor())["relabel_configs"]
    kept = {tuple(rule["source_labels"]): rule["regex"] for rule in rules if rule.get("action") == "keep"}
    label = "_app_kubernetes_io_name"
    assert kept == {
        (f"__meta_kubernetes_pod_label{label}", f"__meta_kubernetes_pod_labelpresent{label}"): "(chat);true",
        ("__meta_kubernetes_pod_container_port_number",): "8000",
    }


def test_a_port_may_have_a_name() -> None:
    monitor = pod_monitor()
    monitor["spec"]["podMetricsEndpoints"] = [{"port": "metrics"}]
    rules = build(monitor)["relabel_configs"]
    assert {
        "source_labels": ["__meta_kubernetes_pod_container_port_name"],
        "regex": "metrics",
        "action": "keep",
    } in rules
    assert {"target_label": "endpoint", "replacement": "metrics"} in rules


def test_relabelings_of_metrics_are_written_as_prometheus_writes_them() -> None:
    assert build(pod_monitor())["metric_relabel_configs"] == [
        {"source_labels": ["__name__"], "regex": "vllm:.+", "action": "keep"}
    ]


def test_each_endpoint_is_a_job_and_prometheus_has_the_defaults() -> None:
    monitor = pod_monitor()
    monitor["spec"]["podMetricsEndpoints"].append({})
    second = [*build_scrape_configs(monitor, "", "")][1]
    assert second["job_name"] == "podMonitor/serving/chat/1" and second["metrics_path"] == "/metrics"
    assert "scrape_interval" not in second and second["metric_relabel_configs"] == []


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"jobLabel": "app"}, "jobLabel"),
        ({"selector": {"matchExpressions": []}}, "matchExpressions"),
        ({"podMetricsEndpoints": [{"honorLabels": True}]}, "honorLabels"),
        ({"podMetricsEndpoints": [{"metricRelabelings": [{"target": "x"}]}]}, "target"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_field_that_the_lab_does_not_know_is_refused(change: dict[str, Any], field: str) -> None:
    monitor = pod_monitor()
    monitor["spec"] |= change
    with pytest.raises(LabError, match=f"^PodMonitor serving/chat: the lab's Prometheus does not know {field}$"):
        build(monitor)
