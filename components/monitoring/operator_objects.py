"""The custom resources that the Prometheus operator reads, whether we or the team installed that operator."""

from dataclasses import dataclass
from typing import Any

from gpu_blueprint.config import StackConfig
from gpu_blueprint.monitoring import build_rule_groups

from ..gpu.gpu_operator_values import list_operator_profiles
from .monitors import build_dcgm_monitor_spec, build_karpenter_monitor_spec


@dataclass(frozen=True, slots=True)
class OperatorObject:
    """One custom resource of the API group monitoring.coreos.com/v1."""

    role: str
    """Last part of its name."""
    kind: str
    spec: dict[str, Any]


def list_operator_objects(config: StackConfig) -> list[OperatorObject]:
    """Return the rules, and a ServiceMonitor for each exporter that runs."""
    objects = [
        OperatorObject("rules", "PrometheusRule", {"groups": build_rule_groups(config)}),
        OperatorObject("karpenter", "ServiceMonitor", build_karpenter_monitor_spec()),
    ]
    # dcgm-exporter is part of the GPU Operator.
    if list_operator_profiles(config):
        objects.append(OperatorObject("dcgm", "ServiceMonitor", build_dcgm_monitor_spec()))
    return objects
