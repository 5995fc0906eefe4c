"""The pod of a replica: every field follows from the model and its pool."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any

from ...catalog.inference_servers import INFERENCE_SERVERS
from ...config import Pool, StackConfig
from ...config.models import ServedModel, TritonModel
from ...config.sizes import read_room
from ...sharing import Mps
from ..cluster.telling import CA_FOLDER, CA_KEY, build_mark, build_mount, build_volume
from ..tenants.gpu_pods import build_pod
from .arguments import REPOSITORY_FOLDER, list_arguments
from .downloads import CA_VARIABLES, downloads_outside, tell_downloads, trusts_company_alone
from .images import place_image
from .memory import count_devices
from .probes import build_probes
from .shutdown import PRE_STOP_SECONDS, plan_shutdown
from .sources import find_mounted, locate_weights
from .starts import find_download_gib, find_start_limit
from .triton import SETTINGS_FOLDER, build_command, build_settings

_USER = 1000
"""Triton's image has this user; vLLM's runs as any user that has a name and a home."""
POD_SECURITY: Mapping[str, Any] = {
    "runAsNonRoot": True,
    "runAsUser": _USER,
    "runAsGroup": _USER,
    "fsGroup": _USER,
    "seccompProfile": {"type": "RuntimeDefault"},
}
CONTAINER_SECURITY: Mapping[str, Any] = {
    "allowPrivilegeEscalation": False,
    "capabilities": {"drop": ["ALL"]},
    # NVIDIA's hooks write the cache of libraries into the container when it starts.
    "readOnlyRootFilesystem": False,
}
_HOME = "/home/server"
_DOWNLOADS = "/downloads"
_ZONE = "topology.kubernetes.io/zone"
_SHARED_GIB = 1
"""GiB of shared memory for each GPU, by which the processes of a replica talk."""


def build_template(config: StackConfig, model: ServedModel) -> dict[str, Any]:
    """Return the pod template of a version.

    It rests on no admission policy: a replica starts also where somebody has deleted the binding that completes pods.
    """
    pool = config.gpu_pools_by_name[model.pool]
    counts = {pool.profile.units[unit]: count for unit, count in pool.count_by_unit(model.gpus).items() if count}
    pod = build_pod(config, pool, namespace=config.find_namespace(model), limits=counts, is_complete=True)
    spec = pod["spec"]
    (container,) = spec["containers"]
    return {
        "metadata": {"labels": model.all_labels, **_mark_settings(config, model)},
        "spec": {
            **spec,
            "serviceAccountName": model.account,
            # Credentials of AWS come by a token of their own (EKS Pod Identity).
            "automountServiceAccountToken": False,
            # A Service named vllm would otherwise set VLLM_PORT, and vLLM ends at an address in it.
            "enableServiceLinks": False,
            "terminationGracePeriodSeconds": plan_shutdown(pool, model).termination_grace_seconds,
            "securityContext": dict(POD_SECURITY),
            "topologySpreadConstraints": [_spread(model.pod_labels)],
            "containers": [_build_container(config, pool, model, container)],
            "volumes": list(_list_volumes(config, pool, model)),
        },
    }


def _mark_settings(config: StackConfig, model: ServedModel) -> dict[str, Any]:
    """Return annotations that change with the settings, because a changed ConfigMap restarts no pod."""
    marks = build_mark(config) if downloads_outside(config, model) else {}
    if isinstance(model, TritonModel):
        text = json.dumps(build_settings(model), sort_keys=True)
        marks["gpu-blueprint/settings"] = hashlib.sha256(text.encode()).hexdigest()[:16]
    return {"annotations": marks} if marks else {}


def _build_container(config: StackConfig, pool: Pool, model: ServedModel, asked: dict[str, Any]) -> dict[str, Any]:
    server = INFERENCE_SERVERS[model.server_name]
    arguments = list_arguments(config, pool, model, read_memory_mib(asked))
    run = {"args": arguments}
    if isinstance(model, TritonModel):
        run = {"args": build_command(model, locate_weights(config, model), arguments)}
    return {
        "name": server.name,
        "image": place_image(config, model),
        **run,
        "env": list(_list_variables(config, model)),
        **tell_downloads(config, model),
        "ports": [{"name": name, "containerPort": port} for name, port in server.ports.items()],
        "resources": _write_resources(asked["resources"], find_download_gib(model)),
        # The last lines of a server that ends tell why.
        "terminationMessagePolicy": "FallbackToLogsOnError",
        # The pod leaves the Service at once, but proxies hear of it a few seconds later.
        "lifecycle": {"preStop": {"sleep": {"seconds": PRE_STOP_SECONDS}}},
        **build_probes(server, find_start_limit(config, pool, model)),
        "securityContext": dict(CONTAINER_SECURITY),
        "volumeMounts": list(_list_places(config, pool, model)),
    }


def _write_resources(resources: Mapping[str, Any], gib: int | None) -> dict[str, Any]:
    """Return resources with the disk of a download, so that no node without the room is chosen.

    Amounts are text, as the API server returns them: a refresh would report a number as changed.
    """
    disk = {} if gib is None else {"ephemeral-storage": f"{gib}Gi"}
    return {
        "requests": {**resources["requests"], **disk},
        "limits": {name: str(amount) for name, amount in resources["limits"].items()},
    }


def _list_variables(config: StackConfig, model: ServedModel) -> Iterator[dict[str, Any]]:
    """Yield the environment: a home that any user may write, and no reports to the makers of the server."""
    yield {"name": "HOME", "value": _HOME}
    if isinstance(model, TritonModel):
        return
    # Python asks for the name of the user, and the image knows no user 1000.
    yield from ({"name": name, "value": "server"} for name in ("USER", "LOGNAME"))
    yield {"name": "VLLM_NO_USAGE_STATS", "value": "1"}
    if find_mounted(config, model):
        # A wrong path fails at once, and is not looked up on the internet. vLLM before 0.24 takes s3:// for a
        # repository that is not on the disk.
        yield {"name": "HF_HUB_OFFLINE", "value": "1"}
    if model.source.repository:
        yield {"name": "HF_HOME", "value": _DOWNLOADS}
    if trusts_company_alone(config, model):
        yield from ({"name": name, "value": f"{CA_FOLDER}/{CA_KEY}"} for name in CA_VARIABLES)
    if model.source.token_secret:
        secret = {"name": model.source.token_secret, "key": "token"}
        yield {"name": "HF_TOKEN", "valueFrom": {"secretKeyRef": secret}}


def read_memory_mib(container: Mapping[str, Any]) -> int:
    """Return the MiB that a container may take."""
    return int(read_room("1", container["resources"]["limits"]["memory"]).memory_mib)


def _spread(labels: dict[str, str]) -> dict[str, Any]:
    """Return the wish for replicas in several zones; a zone without GPUs must not stop them.

    A wish for several nodes would cost more than it gives where nodes hold several replicas: Karpenter takes it for a
    duty, plans a node for each replica and does not consolidate them, and the scheduler still binds all replicas that
    wait to the first node that comes. Sources: aws/karpenter-provider-aws issue 4907, kubernetes-sigs/karpenter pull
    request 2122. Read 2026-11-23.
    """
    return {
        "maxSkew": 1,
        "topologyKey": _ZONE,
        "whenUnsatisfiable": "ScheduleAnyway",
        "labelSelector": {"matchLabels": labels},
        "matchLabelKeys": ["pod-template-hash"],
    }


def _gets_shared_memory(pool: Pool) -> bool:
    """Return whether the device plugin mounts /dev/shm itself: the memory by which a pod talks to the MPS server.

    The kubelet mounts a pod's own volume over it, and CUDA then finds no GPU that is free. Sources: k8s-device-plugin,
    ``internal/plugin/mps.go``; Kubernetes, ``pkg/kubelet/kubelet_pods.go``. Read 2026-11-23.
    """
    return isinstance(pool.sharing, Mps)


def _list_volumes(config: StackConfig, pool: Pool, model: ServedModel) -> Iterator[dict[str, Any]]:
    """Yield the volumes. Shared memory counts towards the memory of the container."""
    if not _gets_shared_memory(pool):
        size = f"{_SHARED_GIB * count_devices(model.gpus)}Gi"
        yield {"name": "shared-memory", "emptyDir": {"medium": "Memory", "sizeLimit": size}}
    yield {"name": "home", "emptyDir": {}}
    yield {"name": "tmp", "emptyDir": {}}
    if gib := find_download_gib(model):
        yield {"name": "downloads", "emptyDir": {"sizeLimit": f"{gib}Gi"}}
    if mount := find_mounted(config, model):
        yield {"name": mount.claim, "persistentVolumeClaim": {"claimName": mount.claim, "readOnly": True}}
    if trusts_company_alone(config, model):
        yield build_volume()
    if isinstance(model, TritonModel):
        yield {"name": "models", "emptyDir": {}}
        yield {"name": "settings", "configMap": {"name": model.settings}}


def _list_places(config: StackConfig, pool: Pool, model: ServedModel) -> Iterator[dict[str, Any]]:
    if not _gets_shared_memory(pool):
        yield {"name": "shared-memory", "mountPath": "/dev/shm"}  # noqa: S108
    yield {"name": "home", "mountPath": _HOME}
    yield {"name": "tmp", "mountPath": "/tmp"}  # noqa: S108
    if find_download_gib(model):
        yield {"name": "downloads", "mountPath": _DOWNLOADS}
    if mount := find_mounted(config, model):
        yield {"name": mount.claim, "mountPath": mount.path, "readOnly": True}
    if trusts_company_alone(config, model):
        yield build_mount()
    if isinstance(model, TritonModel):
        yield {"name": "models", "mountPath": REPOSITORY_FOLDER}
        yield {"name": "settings", "mountPath": SETTINGS_FOLDER, "readOnly": True}
