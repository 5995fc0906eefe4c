"""What watches the platform: custom resource definitions, monitors, rules, dashboards, and Prometheus unless the team has one."""

from collections.abc import Mapping
from typing import Any

import pulumi
import pulumi_aws as aws
import pulumi_kubernetes as k8s

from gpu_blueprint.catalog import namespaces
from gpu_blueprint.catalog.versions import PROMETHEUS_CRDS, PROMETHEUS_STACK
from gpu_blueprint.config import InstallMonitoring, StackConfig
from gpu_blueprint.config import Monitoring as MonitoringConfig
from gpu_blueprint.config.monitoring import GRAFANA_PASSWORD, REMOTE_WRITE_PASSWORD, Amp
from gpu_blueprint.monitoring import rule_groups

from ..cluster.roles import ServiceRole, pod_identity_trust
from ..gpu.gpu_operator import operator_profiles
from ..helm import chart_release
from .alert_routes import SECRET
from .dashboards import ADMIN_SECRET, PASSWORD_KEY, USER_KEY, Dashboards
from .monitors import dcgm_monitor, karpenter_monitor
from .prometheus_values import REMOTE_SECRET, SERVICE_ACCOUNT, prometheus_values


class Monitoring(pulumi.ComponentResource):
    """Monitoring; ``ready`` is what operators depend on that look for ServiceMonitors."""

    ready: list[pulumi.Resource]

    def __init__(
        self,
        name: str,
        config: StackConfig,
        monitoring: MonitoringConfig,
        *,
        after: list[pulumi.Resource],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        super().__init__("gpu-blueprint:components:Monitoring", name, None, opts)
        shared = not isinstance(monitoring, InstallMonitoring)
        namespace, crds = self._make_ground(name, after, shared=shared)
        self.ready = [crds]
        labels: dict[str, str] = {}
        if isinstance(monitoring, InstallMonitoring):
            self._install(name, config, monitoring, after=[namespace, crds, *after])
        else:
            labels = dict(monitoring.labels or {})
        for role, (kind, spec) in objects(config).items():
            k8s.apiextensions.CustomResource(
                f"{name}-{role}",
                api_version="monitoring.coreos.com/v1",
                kind=kind,
                metadata={"name": f"gpu-blueprint-{role}", "namespace": namespaces.MONITORING, "labels": labels},
                spec=spec,
                opts=pulumi.ResourceOptions(parent=self, depends_on=[namespace, crds]),
            )
        inside = pulumi.ResourceOptions(parent=self)
        Dashboards(f"{name}-dashboards", config, labels=labels, after=[namespace], opts=inside)
        self.register_outputs({})

    def _make_ground(
        self, name: str, after: list[pulumi.Resource], *, shared: bool
    ) -> tuple[pulumi.Resource, pulumi.Resource]:
        """The namespace and the kinds: shared with a team's own Prometheus they stay, or all that it has in them would go."""
        namespace = k8s.core.v1.Namespace(
            f"{name}-namespace",
            # The node exporter sees its host.
            metadata={
                "name": namespaces.MONITORING,
                "labels": {"pod-security.kubernetes.io/enforce": "privileged"},
            },
            opts=pulumi.ResourceOptions(parent=self, depends_on=after, retain_on_delete=shared or None),
        )
        crds = chart_release(
            f"{name}-crd", PROMETHEUS_CRDS, namespaces.MONITORING, {}, parent=self, depends_on=[namespace, *after], shared=shared,
        )  # fmt: skip
        return namespace, crds

    def _install(
        self, name: str, config: StackConfig, monitoring: InstallMonitoring, *, after: list[pulumi.Resource]
    ) -> None:
        needed, known = [*after], secrets(monitoring.secrets)
        if monitoring.notify:
            routes = {key: known[key] for key in monitoring.notify.secrets}
            needed.append(self._make_secret(f"{name}-routes", SECRET, routes, after))
        if monitoring.grafana:
            admin: dict[str, pulumi.Input[str]] = {USER_KEY: "admin", PASSWORD_KEY: known[GRAFANA_PASSWORD]}
            needed.append(self._make_secret(f"{name}-grafana", ADMIN_SECRET, admin, after))
        target = monitoring.remote_write
        if isinstance(target, Amp):
            needed += self._make_identity(name, config, target, after)
        elif target and target.username:
            values: dict[str, pulumi.Input[str]] = {
                "username": target.username,
                "password": known[REMOTE_WRITE_PASSWORD],
            }
            needed.append(self._make_secret(f"{name}-remote-write", REMOTE_SECRET, values, after))
        k8s.networking.v1.NetworkPolicy(
            f"{name}-network-policy",
            metadata={"name": "prometheus-and-alertmanager", "namespace": namespaces.MONITORING},
            spec=network_policy_spec(),
            opts=pulumi.ResourceOptions(parent=self, depends_on=after),
        )
        chart_release(
            f"{name}-release",
            PROMETHEUS_STACK,
            namespaces.MONITORING,
            prometheus_values(config, monitoring),
            parent=self,
            depends_on=needed,
        )

    def _make_secret(
        self, name: str, title: str, values: Mapping[str, pulumi.Input[str]], after: list[pulumi.Resource]
    ) -> pulumi.Resource:
        return k8s.core.v1.Secret(
            name,
            metadata={"name": title, "namespace": namespaces.MONITORING},
            string_data=values,
            opts=pulumi.ResourceOptions(parent=self, depends_on=after),
        )

    def _make_identity(
        self, name: str, config: StackConfig, target: Amp, after: list[pulumi.Resource]
    ) -> list[pulumi.Resource]:
        """Let Prometheus write to the workspace, and to nothing else."""
        allowed = {"Effect": "Allow", "Action": ["aps:RemoteWrite"], "Resource": [target.workspace_arn]}
        role = ServiceRole(
            name,
            config,
            trust=pod_identity_trust(config),
            policies={"remote-write": {"Statement": [allowed]}},
            opts=pulumi.ResourceOptions(parent=self),
        )
        identity = aws.eks.PodIdentityAssociation(
            f"{name}-identity",
            cluster_name=config.cluster_name,
            namespace=namespaces.MONITORING,
            service_account=SERVICE_ACCOUNT,
            role_arn=role.arn,
            opts=pulumi.ResourceOptions(parent=self, depends_on=[role.role, *after]),
        )
        return [identity, *role.ready]


def objects(config: StackConfig) -> dict[str, tuple[str, dict[str, Any]]]:
    """Name → kind and ``spec`` of what the Prometheus operator reads, whoever installed it."""
    found: dict[str, tuple[str, dict[str, Any]]] = {
        "rules": ("PrometheusRule", {"groups": rule_groups(config)}),
        "karpenter": ("ServiceMonitor", karpenter_monitor()),
    }
    if operator_profiles(config):
        found["dcgm"] = ("ServiceMonitor", dcgm_monitor())
    return found


def network_policy_spec() -> Any:
    """The ``spec`` of a NetworkPolicy: neither asks who comes, and whoever reaches Alertmanager may silence every alert.

    ``kubectl port-forward`` comes from the node and passes. Others get in by a NetworkPolicy of their own in this namespace.
    """
    ours = {"key": "app.kubernetes.io/name", "operator": "In", "values": ["prometheus", "alertmanager"]}
    guests = {
        "key": "kubernetes.io/metadata.name",
        "operator": "In",
        "values": [namespaces.MONITORING, namespaces.KEDA],
    }
    return {
        "pod_selector": {"match_expressions": [ours]},
        "policy_types": ["Ingress"],
        "ingress": [{"from_": [{"namespace_selector": {"match_expressions": [guests]}}]}],
    }


def secrets(keys: list[str]) -> dict[str, pulumi.Output[str]]:
    """Secrets of the stack's Pulumi config, beside the stack object; those that are missing end the program, all told at once."""
    config = pulumi.Config()
    if missing := [key for key in keys if config.get_secret(key) is None]:
        remedy = "; ".join(f"pulumi config set --secret {key}" for key in missing)
        raise pulumi.RunError(f"secrets of this stack are missing: {remedy}")
    return {key: config.require_secret(key) for key in keys}
