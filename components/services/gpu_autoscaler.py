"""What scales one Deployment with its load; also for programs of your own. Why so: docs/decisions/0011-autoscaling.md."""

from collections.abc import Mapping, Sequence
from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from gpu_blueprint.catalog.inference_servers import INFERENCE_SERVERS
from gpu_blueprint.config import OwnScaling, Scaling
from gpu_blueprint.loading import part
from gpu_blueprint.monitoring.scaling import measures

MOST_SAMPLES = 10_000
"""Of one pod; servers with many models have some thousands, and one that makes a label of each request would fill Prometheus."""
QUIET_SECONDS = 15 * 60
"""For how long fewer replicas must suffice before one goes: a new one loads its model for minutes."""


class GpuAutoscaler(pulumi.ComponentResource):
    """A ScaledObject for a Deployment, and a PodMonitor where its server's metrics are known.

    ``scaling`` has the same fields as a service of a stack file: ``{"server": "vllm", "replicas": {"min": 1, "max": 4},
    "scaleOn": [{"signal": "queue", "perReplica": 4}]}``. ``prometheus`` is an address that KEDA reaches; ``monitor_labels``
    are those by which that Prometheus selects PodMonitors; ``after`` are the resources without which the objects cannot be
    made: the namespace, and KEDA where the same program installs it. A ``Scaling`` of a checked stack is taken as it is.

    Raises:
        StackError: With every problem of plain fields, and of the names and the address beside them.
    """

    def __init__(
        self,
        name: str,
        scaling: Scaling | Mapping[str, Any],
        *,
        deployment: str,
        namespace: str,
        prometheus: str,
        monitor_labels: Mapping[str, str] | None = None,
        after: Sequence[pulumi.Resource] = (),
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        if isinstance(scaling, Mapping):
            where = {"deployment": deployment, "namespace": namespace, "prometheus": prometheus}
            scaling = part(OwnScaling, {**scaling, **where})
        super().__init__("gpu-blueprint:components:GpuAutoscaler", name, None, opts)
        child = pulumi.ResourceOptions(parent=self, depends_on=list(after))
        place = {"name": deployment, "namespace": namespace}
        if scaling.server:
            k8s.apiextensions.CustomResource(
                f"{name}-monitor",
                api_version="monitoring.coreos.com/v1",
                kind="PodMonitor",
                metadata={**place, "labels": dict(monitor_labels or {})},
                spec=pod_monitor_spec(deployment, scaling),
                opts=child,
            )
        k8s.apiextensions.CustomResource(
            f"{name}-scaler",
            api_version="keda.sh/v1alpha1",
            kind="ScaledObject",
            metadata=place,
            spec=scaled_object_spec(deployment, namespace, scaling, prometheus),
            opts=child,
        )
        self.register_outputs({})


def pod_monitor_spec(deployment: str, scaling: Scaling) -> dict[str, Any]:
    """The ``spec`` of the PodMonitor: the server's metrics at its own port.

    Nothing else that the pods say is kept: a pod could call a series of its own ``kube_node_labels``, and all alerts that
    join with it would fail.
    """
    server = INFERENCE_SERVERS[str(scaling.server)]
    kept = {"sourceLabels": ["__name__"], "regex": f"{server.prefix}.+", "action": "keep"}
    return {
        "selector": {"matchLabels": scaling.selects(deployment)},
        "sampleLimit": MOST_SAMPLES,
        "podMetricsEndpoints": [
            {"portNumber": server.port, "path": "/metrics", "interval": "15s", "metricRelabelings": [kept]}
        ],
    }


def scaled_object_spec(deployment: str, namespace: str, scaling: Scaling, prometheus: str) -> dict[str, Any]:
    """The ``spec`` of the ScaledObject: up at once, down one by one after a quiet while."""
    return {
        "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": deployment},
        "minReplicaCount": scaling.replicas.min,
        "maxReplicaCount": scaling.replicas.max,
        "pollingInterval": 15,
        # Only for the step from one to none, which the HPA does not take.
        "cooldownPeriod": QUIET_SECONDS,
        "advanced": {"horizontalPodAutoscalerConfig": {"behavior": _behavior()}},
        "triggers": [
            {
                "type": "prometheus",
                # Divided among the replicas, or as it is.
                "metricType": "AverageValue" if one.per_replica else "Value",
                "metadata": {
                    "serverAddress": prometheus,
                    "query": one.promql,
                    "threshold": f"{one.target:.3f}".rstrip("0").rstrip("."),
                    # No value is an error, at which replicas stay, and not a zero, at which they would go.
                    "ignoreNullValues": "false",
                },
            }
            for one in measures(deployment, namespace, scaling)
        ],
    }


def _behavior() -> dict[str, Any]:
    return {
        "scaleUp": {
            "stabilizationWindowSeconds": 0,
            "selectPolicy": "Max",
            "policies": [
                {"type": "Percent", "value": 100, "periodSeconds": 60},
                {"type": "Pods", "value": 4, "periodSeconds": 60},
            ],
        },
        "scaleDown": {
            "stabilizationWindowSeconds": QUIET_SECONDS,
            "policies": [{"type": "Pods", "value": 1, "periodSeconds": 120}],
        },
    }
