"""Pods of the probes: the pods that `blueprint explain` shows, in a security context that every namespace takes."""

from collections.abc import Mapping
from typing import Any

from lab.scene import Manifest

from ..catalog.versions import PAUSE_IMAGE
from ..config import Pool, StackConfig
from ..summary.pool_chain import build_pod
from .stage import PROBE_LABEL

NAMESPACE = "gpu-blueprint-rehearsal"
"""Namespace of the probes that ask about a pool and not about a tenant; it has no quota."""
_SMALL = {"cpu": "1", "memory": "1Gi"}
_CONTAINER_SECURITY = {
    "allowPrivilegeEscalation": False,
    "capabilities": {"drop": ["ALL"]},
    "runAsNonRoot": True,
    "runAsUser": 65535,
    "seccompProfile": {"type": "RuntimeDefault"},
}


def build_probe_namespace() -> Manifest:
    """Return the namespace of the pools' probes."""
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}}


def build_gpu_pod(
    config: StackConfig, pool: Pool, name: str, limits: Mapping[str, int] | None = None, namespace: str = NAMESPACE
) -> dict[str, Any]:
    """Build a pod that asks a pool for GPU resources, one unit by default, with 1 CPU and 1 GiB."""
    pod = build_pod(config, pool, namespace=namespace, limits=limits)
    given = pod["spec"]["containers"][0]["resources"]["limits"]
    resources = {resource: str(count) for resource, count in given.items()}
    return _finish(pod, name, {**_SMALL, **resources})


def build_cpu_pod(name: str, namespace: str, cpu: int = 1, **spec: Any) -> dict[str, Any]:
    """Build a pod without GPU."""
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"containers": [{"name": "main"}], **spec},
    }
    return _finish(pod, name, {**_SMALL, "cpu": str(cpu)})


def build_deployment(pod: Mapping[str, Any], replicas: int = 1) -> dict[str, Any]:
    """Build a Deployment of a probe's pod."""
    place = pod["metadata"]
    labels = {**place["labels"], "app.kubernetes.io/name": place["name"]}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {**place, "labels": labels},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": pod["spec"]},
        },
    }


def name_pods(name: str, count: int) -> list[str]:
    """Return names of pods: ``a-0``, ``a-1``."""
    return [f"{name}-{index}" for index in range(count)]


def _finish(pod: dict[str, Any], name: str, resources: Mapping[str, str]) -> dict[str, Any]:
    """Give a pod its name, its label, a container that does nothing, and equal requests and limits."""
    pod["metadata"].update(name=name, labels={PROBE_LABEL: "true"})
    pod["spec"].update(automountServiceAccountToken=False, terminationGracePeriodSeconds=0)
    pod["spec"]["containers"][0].update(
        image=PAUSE_IMAGE,
        resources={"requests": dict(resources), "limits": dict(resources)},
        securityContext=_CONTAINER_SECURITY,
    )
    return pod
