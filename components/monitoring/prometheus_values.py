"""Values of kube-prometheus-stack: what is scraped, kept, passed on and told."""

from typing import Any

from gpu_blueprint.catalog import namespaces
from gpu_blueprint.catalog.versions import PROMETHEUS_STACK
from gpu_blueprint.config import InstallMonitoring, StackConfig
from gpu_blueprint.config.monitoring import ALERTMANAGER_GIB, Amp
from gpu_blueprint.monitoring.state_metrics import state_metrics

from ..cluster.addons import EVERYWHERE
from ..helm import overlaid
from .alert_routes import SECRET, alertmanager_config
from .dashboards import grafana_values

SERVICE_ACCOUNT = "prometheus"
REMOTE_SECRET = "remote-write"
NOISY = (
    # A cluster that grows on demand has larger quotas than nodes, and no node to spare.
    "KubeCPUQuotaOvercommit", "KubeMemoryQuotaOvercommit", "KubeCPUOvercommit", "KubeMemoryOvercommit",
    # A training job runs for days.
    "KubeJobNotCompleted",
    # ServiceAtMostReplicas tells of it, and not where no other number is allowed.
    "KubeHpaMaxedOut",
)  # fmt: skip
"""Alerts of the chart that fire while all is as it should be."""
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
        "defaultRules": {"disabled": dict.fromkeys(NOISY, True)},
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
            {"group": "monitoring.coreos.com", "resource": kind, "namespace": namespaces.MONITORING} for kind in OURS
        ],
        "externalLabels": {"cluster": config.cluster_name, "environment": config.environment},
        "retention": f"{monitoring.retention_days}d",
        "retentionSize": f"{monitoring.storage_gib * 85 // 100}GiB",
        "storageSpec": {"volumeClaimTemplate": {"spec": _volume(monitoring.storage_gib)}},
        # The operator makes its StatefulSet anew where a field cannot change: samples must outlive that. The namespace takes the
        # volume with it in a destroy.
        "persistentVolumeClaimRetentionPolicy": {"whenDeleted": "Retain", "whenScaled": "Retain"},
        # By signal: over HTTP, /-/quit would be there as well, for every pod.
        "reloadStrategy": "ProcessSignal",
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
    spec = {"secrets": secrets, "storage": {"volumeClaimTemplate": {"spec": _volume(ALERTMANAGER_GIB)}}}
    return {"config": alertmanager_config(monitoring.notify), "alertmanagerSpec": spec}
