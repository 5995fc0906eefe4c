"""Dashboards in the cluster, and the Grafana that shows them unless the team has one."""

from collections.abc import Mapping
from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from gpu_blueprint.catalog import namespaces
from gpu_blueprint.config import StackConfig
from gpu_blueprint.monitoring.dashboards import DASHBOARD_LABEL, DASHBOARDS, Dashboard
from gpu_blueprint.monitoring.dashboards.grafana import dashboard_json

FOLDER = "grafana_folder"
"""Annotation with the folder, for sidecars that are told to read it: ours is."""
ADMIN_SECRET = "grafana-admin"
USER_KEY, PASSWORD_KEY = "admin-user", "admin-password"


class Dashboards(pulumi.ComponentResource):
    """One ConfigMap for each dashboard; ``labels`` are further ones that they carry."""

    def __init__(
        self,
        name: str,
        config: StackConfig,
        *,
        labels: Mapping[str, str],
        after: list[pulumi.Resource],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        super().__init__("gpu-blueprint:components:Dashboards", name, None, opts)
        for dashboard in DASHBOARDS:
            k8s.core.v1.ConfigMap(
                f"{name}-{dashboard.uid.removeprefix('gpu-')}",
                metadata={
                    "name": f"{dashboard.uid}-dashboard",
                    "namespace": namespaces.MONITORING,
                    "labels": {**labels, DASHBOARD_LABEL: "1"},
                    "annotations": {FOLDER: "GPUs"},
                },
                data=dashboard_files(config, dashboard),
                opts=pulumi.ResourceOptions(parent=self, depends_on=after),
            )
        self.register_outputs({})


def dashboard_files(config: StackConfig, dashboard: Dashboard) -> dict[str, str]:
    """What the ConfigMap holds: the file that Grafana reads."""
    return {f"{dashboard.uid}.json": dashboard_json(config, dashboard)}


def grafana_values() -> dict[str, Any]:
    """Values of the chart's Grafana: signed in to with a Secret, and without a volume, since all it shows is code.

    Its sidecars would look for dashboards and data sources in all namespaces, so that whoever may write a ConfigMap
    in one of them could add to them, and Grafana could read every Secret of the cluster. Sources: values.yaml of
    kube-prometheus-stack; values.yaml and templates/role.yaml of grafana-community/helm-charts, charts/grafana. Read 2026-11-21.
    """
    here = {"enabled": True, "searchNamespace": namespaces.MONITORING, "resource": "configmap"}
    return {
        "enabled": True,
        "admin": {"existingSecret": ADMIN_SECRET, "userKey": USER_KEY, "passwordKey": PASSWORD_KEY},
        "persistence": {"enabled": False},
        "rbac": {"namespaced": True},
        "resources": {"requests": {"cpu": "100m", "memory": "256Mi"}, "limits": {"memory": "1Gi"}},
        "grafana.ini": {"analytics": {"reporting_enabled": False, "check_for_updates": False}},
        "sidecar": {
            "dashboards": {
                **here,
                "label": DASHBOARD_LABEL,
                "labelValue": "1",
                "folderAnnotation": FOLDER,
                "provider": {"foldersFromFilesStructure": True},
                # Of the dashboards that the chart brings: nodes, pods and volumes, which are no business of ours.
                "annotations": {FOLDER: "Kubernetes"},
            },
            "datasources": here,
        },
    }
