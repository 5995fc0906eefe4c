"""The ServiceMonitors, and the labels of the series that they bring."""

from gpu_blueprint.monitoring.metrics import DCGM_JOB

from ...support import builders
from ...support.plans import one, plan_of, some
from .test_monitoring import watched


def test_gpu_series_name_the_pod_that_holds_the_gpu_and_its_node() -> None:
    (endpoint,) = one(watched(), "ServiceMonitor", "-dcgm").inputs["spec"]["endpoints"]
    named, dropped = endpoint["relabelings"]
    assert named == {"sourceLabels": ["__meta_kubernetes_pod_node_name"], "targetLabel": "node"}
    assert dropped["action"] == "labeldrop" and {"namespace", "pod", "container"} <= {*dropped["regex"].split("|")}
    assert one(watched(), "ServiceMonitor", "-dcgm").inputs["spec"]["selector"]["matchLabels"]["app"] == DCGM_JOB


def test_series_of_karpenter_keep_the_labels_that_it_gives_them() -> None:
    (endpoint,) = one(watched(), "ServiceMonitor", "-karpenter").inputs["spec"]["endpoints"]
    assert endpoint["honorLabels"] is True


def test_where_no_exporter_runs_none_is_scraped() -> None:
    planned = plan_of(builders.stack(pools=[builders.pool(ami={"family": "bottlerocket"})], **builders.monitoring()))
    assert [found.name for found in some(planned, "ServiceMonitor")] == ["gpu-test-monitoring-karpenter"]
