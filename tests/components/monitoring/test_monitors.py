"""The ServiceMonitors, and the labels of the series that they bring."""

from gpu_blueprint.monitoring.metrics import DCGM_JOB

from ...support.plans import find_resource
from .test_monitoring import plan_monitoring


def test_gpu_series_name_the_pod_that_holds_the_gpu_and_its_node() -> None:
    (endpoint,) = find_resource(plan_monitoring(), "ServiceMonitor", "-dcgm").inputs["spec"]["endpoints"]
    named, dropped = endpoint["relabelings"]
    assert named == {"sourceLabels": ["__meta_kubernetes_pod_node_name"], "targetLabel": "node"}
    assert dropped["action"] == "labeldrop" and {"namespace", "pod", "container"} <= {*dropped["regex"].split("|")}
    assert (
        find_resource(plan_monitoring(), "ServiceMonitor", "-dcgm").inputs["spec"]["selector"]["matchLabels"]["app"]
        == DCGM_JOB
    )


def test_karpenters_series_keep_their_own_labels() -> None:
    (endpoint,) = find_resource(plan_monitoring(), "ServiceMonitor", "-karpenter").inputs["spec"]["endpoints"]
    assert endpoint["honorLabels"] is True
