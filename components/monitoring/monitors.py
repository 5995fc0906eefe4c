"""What Prometheus is to scrape of the platform, and with which labels: docs/decisions/0009-monitoring.md."""

from typing import Any

from gpu_blueprint.catalog import namespaces
from gpu_blueprint.monitoring.metrics import DCGM_JOB


def dcgm_monitor() -> dict[str, Any]:
    """The ``spec`` of dcgm-exporter's ServiceMonitor.

    The target's own namespace, pod and container are dropped, so that these labels always mean whoever holds the GPU
    and are absent where nobody does; ``honorLabels`` alone would name the exporter as the holder of free GPUs.
    """
    return {
        "jobLabel": "app",
        "namespaceSelector": {"matchNames": [namespaces.GPU_OPERATOR]},
        "selector": {"matchLabels": {"app": DCGM_JOB}},
        "endpoints": [
            {
                "port": "gpu-metrics",
                "interval": "30s",
                "honorLabels": True,
                "relabelings": [
                    {"sourceLabels": ["__meta_kubernetes_pod_node_name"], "targetLabel": "node"},
                    {"action": "labeldrop", "regex": "namespace|pod|container|service|endpoint"},
                ],
            }
        ],
    }


def karpenter_monitor() -> dict[str, Any]:
    """The ``spec`` of Karpenter's ServiceMonitor; the chart's own would need the CRD before Karpenter."""
    return {
        "namespaceSelector": {"matchNames": [namespaces.KUBE_SYSTEM]},
        "selector": {"matchLabels": {"app.kubernetes.io/name": "karpenter", "app.kubernetes.io/instance": "karpenter"}},
        "endpoints": [{"port": "http-metrics", "interval": "30s", "honorLabels": True}],
    }
