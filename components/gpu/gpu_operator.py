"""NVIDIA's GPU Operator on AL2023 nodes: device plugin, feature discovery, MIG manager, DCGM."""

from typing import Any

import pulumi
import pulumi_kubernetes as k8s
import yaml

from gpu_blueprint.catalog import namespaces
from gpu_blueprint.catalog.dcgm_metrics import dcgm_csv
from gpu_blueprint.catalog.versions import GPU_OPERATOR
from gpu_blueprint.config import StackConfig
from gpu_blueprint.sharing import SHARED_GPU, SharingProfile

from ..cluster.addons import EVERYWHERE, operator_runs_dcgm
from ..helm import chart_release, overlaid

METRIC_LIST = "dcgm-metrics"
"""ConfigMap with the key ``dcgm-metrics.csv``, as the operator expects it."""


class GpuOperator(pulumi.ComponentResource):
    """The operator in a namespace of its own; ``release`` is what pools depend on."""

    release: k8s.helm.v3.Release

    def __init__(
        self,
        name: str,
        config: StackConfig,
        *,
        after: list[pulumi.Resource],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        super().__init__("gpu-blueprint:components:GpuOperator", name, None, opts)
        namespace = k8s.core.v1.Namespace(
            f"{name}-namespace",
            metadata={"name": namespaces.GPU_OPERATOR, "labels": {"pod-security.kubernetes.io/enforce": "privileged"}},
            opts=pulumi.ResourceOptions(parent=self, depends_on=after),
        )
        after = [namespace, *self._make_metric_list(name, config, namespace), *after]
        self.release = chart_release(
            f"{name}-release",
            GPU_OPERATOR,
            namespaces.GPU_OPERATOR,
            gpu_operator_values(config),
            parent=self,
            depends_on=after,
        )
        self.register_outputs({})

    def _make_metric_list(self, name: str, config: StackConfig, namespace: pulumi.Resource) -> list[pulumi.Resource]:
        """What dcgm-exporter exports, where somebody reads it."""
        if config.monitoring is None:
            return []
        return [
            k8s.core.v1.ConfigMap(
                f"{name}-metrics",
                metadata={"name": METRIC_LIST, "namespace": namespaces.GPU_OPERATOR},
                data={"dcgm-metrics.csv": dcgm_csv()},
                opts=pulumi.ResourceOptions(parent=self, depends_on=[namespace]),
            )
        ]


def operator_profiles(config: StackConfig) -> list[SharingProfile]:
    """The profiles of the pools that the operator serves; empty where every node applies its sharing itself."""
    return [pool.profile for pool in config.pools if not pool.profile.operands_off]


def gpu_operator_values(config: StackConfig) -> dict[str, Any]:
    """Values of the chart: AL2023 brings driver and toolkit, and each pool's node label picks its sharing."""
    profiles = operator_profiles(config)
    values = {
        "driver": {"enabled": False},
        "toolkit": {"enabled": False},
        "cdi": {"enabled": True},
        # Distinct resource names for instances; "single" would call a slice nvidia.com/gpu.
        "mig": {"strategy": "mixed"},
        "daemonsets": {"tolerations": EVERYWHERE},
        "node-feature-discovery": {"worker": {"tolerations": EVERYWHERE}},
        "dcgm": {"enabled": operator_runs_dcgm(config)},
        "dcgmExporter": _dcgm_exporter(config),
        "devicePlugin": {"enabled": True, "config": _plugin_configs(profiles)},
        "migManager": _mig_manager(profiles),
    }
    return overlaid(values, config.helm_overrides.gpu_operator)


def _dcgm_exporter(config: StackConfig) -> dict[str, Any]:
    """The exporter; its ServiceMonitor is ours (components/monitors.py), which settles its labels."""
    exporter: dict[str, Any] = {"enabled": True, "serviceMonitor": {"enabled": False}}
    env: dict[str, str] = {}
    arm64 = any(row.arch == "arm64" for pool in config.pools for row in config.instances_of(pool))
    if not operator_runs_dcgm(config) and not arm64:
        # The agent's engine, which there is for amd64, is at the node's own port; without this the exporter would run a second one.
        env["DCGM_REMOTE_HOSTENGINE_INFO"] = "localhost:5555"
    if config.monitoring is not None:
        exporter["config"] = {"name": METRIC_LIST}
        env["DCGM_EXPORTER_COLLECTORS"] = "/etc/dcgm-exporter/dcgm-metrics.csv"
        # One series for each pod of a GPU that several share; without it none of them is named.
        env["KUBERNETES_VIRTUAL_GPUS"] = "true"
        # Of names that are neither nvidia.com/gpu nor a MIG profile's it names holders only if it is told them.
        env["NVIDIA_RESOURCE_NAMES"] = SHARED_GPU
    if env:
        exporter["env"] = [{"name": name, "value": value} for name, value in env.items()]
    return exporter


def _plugin_configs(profiles: list[SharingProfile]) -> dict[str, Any]:
    """One file per way of sharing; nodes without the label get ``none``, which shares nothing."""
    files: dict[str, Any] = {"none": {"version": "v1"}}
    for profile in profiles:
        files |= profile.plugin_configs
    return {
        "create": True,
        "name": "device-plugin-configs",
        "default": "none",
        "data": {key: _yaml(file) for key, file in files.items()},
    }


def _mig_manager(profiles: list[SharingProfile]) -> dict[str, Any]:
    layouts: dict[str, Any] = {}
    for profile in profiles:
        layouts |= profile.mig_configs
    if not layouts:
        return {"enabled": False}
    # A config of our own replaces the generated ones entirely, so it must hold all-disabled too.
    config = {"version": "v1", "mig-configs": {"all-disabled": [{"devices": "all", "mig-enabled": False}], **layouts}}
    reboot = "true" if any(profile.reboots for profile in profiles) else "false"
    return {
        "enabled": True,
        "config": {"create": True, "name": "mig-configs", "data": {"config.yaml": _yaml(config)}},
        "env": [{"name": "WITH_REBOOT", "value": reboot}],
    }


def _yaml(value: Any) -> str:
    return yaml.safe_dump(value, sort_keys=False)
