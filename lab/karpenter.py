"""The production Karpenter, started as its chart starts it."""

from collections.abc import Mapping
from typing import Any

from .control_plane import ControlPlane
from .engines import find_engine
from .scene import Scene
from .workspace import Workspace

NAME = "karpenter"
_GATES = {"NodeRepair": False, "ReservedCapacity": True, "SpotToSpotConsolidation": False, "NodeOverlay": False}
"""Feature gates of Karpenter's chart where the values are silent."""


def start_karpenter(workspace: Workspace, plane: ControlPlane, scene: Scene, aws: Mapping[str, str]) -> None:
    """Start Karpenter with the settings of the rendered chart values.

    Args:
        workspace: The place to run in.
        plane: The cluster to work for.
        scene: The stack, with the values of Karpenter's chart.
        aws: Environment that leads Karpenter to the shim.
    """
    settings: Mapping[str, Any] = scene.karpenter_values.get("settings", {})
    workspace.start(
        NAME,
        [find_engine(NAME)],
        {
            **aws,
            "KUBECONFIG": str(plane.kubeconfig),
            "SYSTEM_NAMESPACE": "kube-system",
            "KUBERNETES_MIN_VERSION": "1.19.0-0",
            "KARPENTER_SERVICE": NAME,
            "DISABLE_LEADER_ELECTION": "true",
            "LOG_LEVEL": "info",
            # Karpenter has no option to bind these ports: they listen on every address.
            "METRICS_PORT": str(workspace.find_port()),
            "HEALTH_PROBE_PORT": str(workspace.find_port()),
            "CPU_REQUESTS": "2000",
            "MEMORY_LIMIT": str(1024**3),
            "FEATURE_GATES": _write_gates(settings.get("featureGates", {})),
            "CLUSTER_NAME": settings["clusterName"],
            "CLUSTER_CA_BUNDLE": "bGFi",
            "EKS_CONTROL_PLANE": str(settings.get("eksControlPlane", False)).lower(),
            "INTERRUPTION_QUEUE": settings.get("interruptionQueue", ""),
        },
    )


def _write_gates(chosen: Mapping[str, bool]) -> str:
    """Return the gates as the chart passes them: ``NodeOverlay=true,…``."""
    gates = {**_GATES, **{name[:1].upper() + name[1:]: on for name, on in chosen.items()}}
    return ",".join(f"{name}={str(on).lower()}" for name, on in sorted(gates.items()))
