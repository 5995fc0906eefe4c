"""Helm values of the GPU Operator: each pool's node label chooses the pool's way of sharing."""

from collections.abc import Sequence
from typing import Any

from gpu_blueprint.catalog.versions import GPU_OPERATOR
from gpu_blueprint.config import StackConfig
from gpu_blueprint.sharing import SharingProfile
from gpu_blueprint.sharing.operator_configs import MIG_FILE

from ..helm import complete_values
from ..placement import TOLERATE_EVERY_TAINT, place_on_system_nodes
from .dcgm_engine import AGENT_ARCH, operator_runs_dcgm
from .dcgm_exporter import ENGINE_ENV, METRIC_ENV, METRIC_LIST, list_env
from .sharing_configs import build_mig_layouts, build_plugin_files, list_operator_profiles


def build_gpu_operator_values(config: StackConfig) -> dict[str, Any]:
    """Return the values of the chart. Driver and toolkit are off, because the AL2023 image brings both."""
    profiles = list_operator_profiles(config)
    values = {
        "driver": {"enabled": False},
        "toolkit": {"enabled": False},
        "cdi": {"enabled": True},
        # "mixed" gives each MIG profile a resource name of its own; "single" would call a slice nvidia.com/gpu.
        "mig": {"strategy": "mixed"},
        # The chart's jobs take the tolerations of the operator (cleanup_crd.yaml), and the place of the master
        # (post-delete-job.yaml of the subchart).
        "operator": place_on_system_nodes(config),
        "daemonsets": {"tolerations": TOLERATE_EVERY_TAINT},
        "node-feature-discovery": {
            "master": place_on_system_nodes(config),
            "gc": place_on_system_nodes(config),
            "worker": {"tolerations": TOLERATE_EVERY_TAINT},
        },
        "dcgm": {"enabled": operator_runs_dcgm(config)},
        "dcgmExporter": _build_exporter_values(config),
        "devicePlugin": {"enabled": True, "config": _build_plugin_configs(profiles)},
        "migManager": _build_mig_manager_values(profiles),
    }
    return complete_values(config, GPU_OPERATOR, values, config.helm_overrides.gpu_operator)


def _build_exporter_values(config: StackConfig) -> dict[str, Any]:
    """Return the values of dcgm-exporter.

    The chart's ServiceMonitor is off, because components/monitoring/monitors.py makes a ServiceMonitor with our labels.
    """
    exporter: dict[str, Any] = {"enabled": True, "serviceMonitor": {"enabled": False}}
    env: dict[str, str] = {}
    only_agent_arch = all(
        row.arch == AGENT_ARCH for pool in config.gpu_pools for row in config.list_named_instances(pool)
    )
    if not operator_runs_dcgm(config) and only_agent_arch:
        env |= ENGINE_ENV
        # The operator gives the exporter the node's network by itself only if it sets the address itself. It looks for
        # the address before it adds our variables, so the exporter would dial its own pod and exit for ever
        # (gpu-operator v26.7.0, controllers/object_controls.go, TransformDCGMExporter).
        exporter["hostNetwork"] = True
    if config.monitoring is not None:
        exporter["config"] = {"name": METRIC_LIST}
        env |= METRIC_ENV
    if env:
        exporter["env"] = list_env(env)
    return exporter


def _build_plugin_configs(profiles: Sequence[SharingProfile]) -> dict[str, Any]:
    """Return the values of the device plugin's configs; nodes without the label get the config ``none``."""
    return {"create": True, "name": "device-plugin-configs", "default": "none", "data": build_plugin_files(profiles)}


def _build_mig_manager_values(profiles: Sequence[SharingProfile]) -> dict[str, Any]:
    layouts = build_mig_layouts(profiles)
    if not layouts:
        return {"enabled": False}
    reboot = "true" if any(profile.reboots for profile in profiles) else "false"
    return {
        "enabled": True,
        "config": {"create": True, "name": "mig-configs", "data": {MIG_FILE: layouts}},
        "env": [{"name": "WITH_REBOOT", "value": reboot}],
    }
