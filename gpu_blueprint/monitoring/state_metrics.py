"""Helm values of kube-state-metrics, for the installed chart and for a team's own Prometheus."""

from typing import Any

from ..catalog.api_versions import NODE_OVERLAY
from .metrics import NAMESPACE_LABELS, NODE_LABELS


def build_state_metrics_values() -> dict[str, Any]:
    """Return the values that add to the defaults: the labels that rules need, and the state of NodeOverlays."""
    labels = {"nodes": NODE_LABELS, "namespaces": NAMESPACE_LABELS}
    return {
        "metricLabelsAllowlist": [f"{kind}=[{','.join(names)}]" for kind, names in labels.items()],
        "customResourceState": {"enabled": True, "config": _build_overlay_state()},
        "rbac": {
            "extraRules": [
                _allow_reading("karpenter.sh", "nodeoverlays"),
                _allow_reading("apiextensions.k8s.io", "customresourcedefinitions"),
            ]
        },
    }


def _allow_reading(group: str, resource: str) -> dict[str, list[str]]:
    """Return the RBAC rule that lets kube-state-metrics list and watch a resource."""
    return {"apiGroups": [group], "resources": [resource], "verbs": ["list", "watch"]}


def _build_overlay_state() -> dict[str, Any]:
    """Return the definition of a metric for the conditions of NodeOverlays, which Karpenter does not export."""
    condition = {"path": ["status", "conditions"], "labelsFromPath": {"type": ["type"]}, "valueFrom": ["status"]}
    metric = {
        "name": "status_condition",
        "help": "Condition of a NodeOverlay, 1 if it holds.",
        "each": {"type": "Gauge", "gauge": condition},
    }
    group, _, version = NODE_OVERLAY.partition("/")  # a version that nobody serves has no metric, and no alert
    overlay = {
        "groupVersionKind": {"group": group, "version": version, "kind": "NodeOverlay"},
        "metricNamePrefix": "kube_nodeoverlay",
        "labelsFromPath": {"nodeoverlay": ["metadata", "name"]},
        "metrics": [metric],
    }
    return {"kind": "CustomResourceStateMetrics", "spec": {"resources": [overlay]}}
