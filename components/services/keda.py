"""KEDA: what turns measures of Prometheus into numbers of replicas."""

from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from gpu_blueprint.catalog import namespaces
from gpu_blueprint.catalog.versions import KEDA
from gpu_blueprint.config import StackConfig

from ..helm import chart_release, overlaid


class Keda(pulumi.ComponentResource):
    """The operator in a namespace of its own; ``release`` is what scalers depend on, or a destroy leaves their finalizers to nobody."""

    release: k8s.helm.v3.Release

    def __init__(
        self,
        name: str,
        config: StackConfig,
        *,
        after: list[pulumi.Resource],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        super().__init__("gpu-blueprint:components:Keda", name, None, opts)
        namespace = k8s.core.v1.Namespace(
            f"{name}-namespace",
            metadata={"name": namespaces.KEDA, "labels": {"pod-security.kubernetes.io/enforce": "baseline"}},
            opts=pulumi.ResourceOptions(parent=self, depends_on=after),
        )
        self.release = chart_release(
            f"{name}-release", KEDA, namespaces.KEDA, keda_values(config), parent=self, depends_on=[namespace, *after]
        )
        self.register_outputs({})


def keda_values(config: StackConfig) -> dict[str, Any]:
    """Values of the chart; its custom resource definitions are templates, so that Helm upgrades them."""
    values = {
        # Teams' own scalers would end with their kind; without the operator they could not end, nor their namespaces.
        "crds": {"additionalAnnotations": {"helm.sh/resource-policy": "keep"}},
        # One works at a time; the second takes over while a system node is replaced.
        "operator": {"replicaCount": 2},
        "metricsServer": {"replicaCount": 2},
        "podDisruptionBudget": {"operator": {"minAvailable": 1}, "metricServer": {"minAvailable": 1}},
        # Whoever may edit a namespace may scale in it, on what Prometheus has; not add to what it has.
        "rbac": {"aggregateToDefaultRoles": True},
    }
    return overlaid(values, config.helm_overrides.keda)
