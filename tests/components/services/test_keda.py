"""KEDA: when it is installed, and its values."""

from ...support import builders
from ...support.plans import one, plan_of, some
from .test_gpu_autoscaler import QUEUE, build_spec, plan_services


def test_keda_is_installed_with_services_or_on_request() -> None:
    assert one(plan_services(), "Release", "-keda-").inputs["version"] == "2.20.2"
    alone = plan_of(builders.stack(**builders.monitoring(), autoscaling=True))
    assert one(alone, "Release", "-keda-") and some(alone, "ScaledObject") == []
    assert some(plan_of(builders.stack(**builders.monitoring())), "Release", "-keda-") == []


def test_keda_polls_often_and_survives_the_loss_of_a_node() -> None:
    values = one(plan_services(), "Release", "-keda-").inputs["values"]
    assert values["operator"]["replicaCount"] == values["metricsServer"]["replicaCount"] == 2
    assert values["podDisruptionBudget"] == {"operator": {"minAvailable": 1}, "metricServer": {"minAvailable": 1}}
    assert build_spec(QUEUE)["pollingInterval"] <= 30


def test_editors_of_a_namespace_may_scale_there_but_add_no_series() -> None:
    found = plan_services()
    assert one(found, "Release", "-keda-").inputs["values"]["rbac"] == {"aggregateToDefaultRoles": True}
    assert some(found, "ClusterRole") == []
