"""KEDA: when it is installed, and its values."""

from ...support import builders
from ...support.plans import one, plan_of, some
from .test_gpu_autoscaler import QUEUE, planned, spec


def test_keda_comes_with_services_or_when_asked_for() -> None:
    assert one(planned(), "Release", "-keda-").inputs["version"] == "2.20.2"
    alone = plan_of(builders.stack(**builders.monitoring(), autoscaling=True))
    assert one(alone, "Release", "-keda-") and some(alone, "ScaledObject") == []
    assert some(plan_of(builders.stack(**builders.monitoring())), "Release", "-keda-") == []


def test_keda_is_asked_often_and_outlives_a_node() -> None:
    values = one(planned(), "Release", "-keda-").inputs["values"]
    assert values["operator"]["replicaCount"] == values["metricsServer"]["replicaCount"] == 2
    assert values["podDisruptionBudget"] == {"operator": {"minAvailable": 1}, "metricServer": {"minAvailable": 1}}
    assert spec(QUEUE)["pollingInterval"] <= 30


def test_whoever_may_edit_a_namespace_may_scale_there_and_bring_no_series() -> None:
    found = planned()
    assert one(found, "Release", "-keda-").inputs["values"]["rbac"] == {"aggregateToDefaultRoles": True}
    assert some(found, "ClusterRole") == []
