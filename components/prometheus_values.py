"""Values of kube-prometheus-stack: what is scraped, kept, passed on and told."""

from typing import Any

from blueprint.catalog.versions import PROMETHEUS_STACK
from blueprint.config import InstallMonitoring, StackConfig
from blueprint.config.monitoring import MONITORING_NAMESPACE, Amp
from blueprint.monitoring.metrics import NAMESPACE_LABELS, NODE_LABELS

from .addons import EVERYWHERE
from .alert_routes import SECRET, alertmanager_config
from .dashboards import grafana_values
from .helm import overlaid

SERVICE_ACCOUNT = "prometheus"
REMOTE_SECRET = "remote-write"
HIDDEN = ("kubeControllerManager", "kubeScheduler", "kubeEtcd", "kubeProxy")
"""Parts of a control plane that EKS does not show, or not on an address that Prometheus reaches."""
ALL = ("serviceMonitor", "podMonitor", "rule", "probe", "scrapeConfig")
OURS = ("servicemonitors", "podmonitors", "prometheusrules", "probes", "scrapeconfigs")


def prometheus_values(config: StackConfig, monitoring: InstallMonitoring) -> dict[str, Any]:
    """Values of the chart."""
    values = {
        "fullnameOverride": PROMETHEUS_STACK.name,
        "crds": {"enabled": False},
        **{part: {"enabled": False} for part in HIDDEN},
        "grafana": grafana_values() if monitoring.grafana else {"enabled": False},
        "prometheus": {
            "serviceAccount": {"name": SERVICE_ACCOUNT},
            "prometheusSpec": _prometheus(config, monitoring),
        },
        "alertmanager": _alertmanager(monitoring),
        "kube-state-metrics": state_metrics(),
        "prometheus-node-exporter": {"tolerations": EVERYWHERE},
    }
    return overlaid(values, config.helm_overrides.kube_prometheus_stack)


def _prometheus(config: StackConfig, monitoring: InstallMonitoring) -> dict[str, Any]:
    return {
        # Else Prometheus would see only monitors and rules that carry this release's label.
        **{f"{kind}SelectorNilUsesHelmValues": False for kind in ALL},
        # A service's pods speak for their own namespace alone.
        "enforcedNamespaceLabel": "namespace",
        "excludedFromEnforcement": [
            {"group": "monitoring.coreos.com", "resource": kind, "namespace": MONITORING_NAMESPACE} for kind in OURS
        ],
        "externalLabels": {"cluster": config.cluster_name, "environment": config.environment},
        "retention": f"{monitoring.retention_days}d",
        "retentionSize": f"{monitoring.storage_gib * 85 // 100}GiB",
        "storageSpec": {"volumeClaimTemplate": {"spec": _volume(monitoring.storage_gib)}},
        "persistentVolumeClaimRetentionPolicy": {"whenDeleted": "Delete", "whenScaled": "Retain"},
        "resources": {"requests": {"cpu": "500m", "memory": "2Gi"}, "limits": {"memory": "4Gi"}},
        "remoteWrite": _remote_write(monitoring),
    }


def _volume(gib: int) -> dict[str, Any]:
    return {
        "storageClassName": "gp3",
        "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": f"{gib}Gi"}},
    }


def _remote_write(monitoring: InstallMonitoring) -> list[dict[str, Any]]:
    target = monitoring.remote_write
    if target is None:
        return []
    if isinstance(target, Amp):
        return [{"url": target.url, "sigv4": {"region": target.region}}]
    keys = {key: {"name": REMOTE_SECRET, "key": key} for key in ("username", "password")}
    return [{"url": target.url, **({"basicAuth": keys} if target.username else {})}]


def _alertmanager(monitoring: InstallMonitoring) -> dict[str, Any]:
    secrets = [SECRET] if monitoring.notify else []
    return {"config": alertmanager_config(monitoring.notify), "alertmanagerSpec": {"secrets": secrets}}


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
