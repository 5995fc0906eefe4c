"""What kube-state-metrics has to show: values of its chart, for the one that is installed and for a team's own."""

from typing import Any

from .metrics import NAMESPACE_LABELS, NODE_LABELS


def state_metrics() -> dict[str, Any]:
    """What kube-state-metrics shows beyond its defaults: the labels that rules need, and NodeOverlays."""
    lists = {"nodes": NODE_LABELS, "namespaces": NAMESPACE_LABELS}
    return {
        "metricLabelsAllowlist": [f"{kind}=[{','.join(labels)}]" for kind, labels in lists.items()],
        "customResourceState": {"enabled": True, "config": _overlay_state()},
        "rbac": {
            "extraRules": [
                {"apiGroups": ["karpenter.sh"], "resources": ["nodeoverlays"], "verbs": ["list", "watch"]},
                {
                    "apiGroups": ["apiextensions.k8s.io"],
                    "resources": ["customresourcedefinitions"],
                    "verbs": ["list", "watch"],
                },
            ]
        },
    }


def _overlay_state() -> dict[str, Any]:
    """Karpenter itself has no metric that says whether it applies an overlay."""
    condition = {"path": ["status", "conditions"], "labelsFromPath": {"type": ["type"]}, "valueFrom": ["status"]}
    metric = {
        "name": "status_condition",
        "help": "Condition of a NodeOverlay, 1 if it holds.",
        "each": {"type": "Gauge", "gauge": condition},
    }
    overlay = {
        "groupVersionKind": {"group": "karpenter.sh", "version": "v1alpha1", "kind": "NodeOverlay"},
        "metricNamePrefix": "kube_nodeoverlay",
        "labelsFromPath": {"nodeoverlay": ["metadata", "name"]},
        "metrics": [metric],
    }
    return {"kind": "CustomResourceStateMetrics", "spec": {"resources": [overlay]}}
