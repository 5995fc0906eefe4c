"""The Job that builds TensorRT plans: on the GPU that serves them, with the image of the server.

A plan runs only on the GPU model and with the version of TensorRT that built it (TensorRT developer guide, "Engine
compatibility"). The images of Triton hold the builder, ``trtexec``, beside the library. Read 2026-11-23.
"""

import shlex
from collections.abc import Iterator
from typing import Any

from ..config import Pool, StackConfig
from ..config.model_parts import TritonEntry
from ..config.models import TritonModel
from ..storage.mounts import Mount, list_mounts
from ..tenancy.gpu_pods import build_pod
from .images import place_image
from .pods import CONTAINER_SECURITY, POD_SECURITY
from .triton import locate_version

_BUILDER = "/usr/src/tensorrt/bin"
"""Folder of trtexec in NVIDIA's images; it is not in the PATH of all of them."""
_PLANS = "/plans"
_GRAPH = "model.onnx"
_LOST = {"type": "DisruptionTarget", "status": "True"}
_RETRIES = 2
_LONGEST_S = 4 * 3600
_KEEP_S = 24 * 3600
"""Seconds for which people can read the log of a Job that has ended."""


def list_plans(model: TritonModel) -> list[TritonEntry]:
    """Return the models of a server that are TensorRT plans."""
    return [entry for entry in model.models if entry.format == "tensorrt"]


def list_source_mounts(config: StackConfig, model: TritonModel) -> list[Mount]:
    """Return the mounts of the model's storage, of all tenants."""
    return [mount for mount in list_mounts(config) if mount.storage.name == model.source.storage]


def build_engine_job(config: StackConfig, pool: Pool, model: TritonModel, mount: Mount) -> dict[str, Any]:
    """Build the Job, ready for `kubectl apply` by a member of the mount's tenant.

    Args:
        config: The stack.
        pool: The pool of the model.
        model: The version of the model whose plans are built.
        mount: The model's storage in the namespace of a tenant that may write.
    """
    unit = next(unit for unit, count in pool.count_by_unit(model.gpus).items() if count)
    limits = {pool.profile.units[unit]: 1}
    pod = build_pod(config, pool, namespace=mount.tenant.namespace_name, limits=limits)["spec"]
    (asked,) = pod["containers"]
    spec = {
        **pod,
        "restartPolicy": "Never",
        "automountServiceAccountToken": False,
        "securityContext": dict(POD_SECURITY),
        "containers": [_build_container(config, model, mount, asked["resources"])],
        "volumes": [
            {"name": mount.claim, "persistentVolumeClaim": {"claimName": mount.claim}},
            {"name": "plans", "emptyDir": {}},
        ],
    }
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": f"build-{model.deployment}", "namespace": mount.tenant.namespace_name},
        "spec": {
            "backoffLimit": _RETRIES,
            "activeDeadlineSeconds": _LONGEST_S,
            "ttlSecondsAfterFinished": _KEEP_S,
            # A spot node that goes is no fault of the build.
            "podFailurePolicy": {"rules": [{"action": "Ignore", "onPodConditions": [_LOST]}]},
            "template": {"spec": spec},
        },
    }


def _build_container(config: StackConfig, model: TritonModel, mount: Mount, resources: Any) -> dict[str, Any]:
    """Return the container. Flags that people append to ``args`` reach each call of trtexec."""
    weights = f"{mount.path}/{model.source.folder}".removesuffix("/")
    script = " && ".join(command for entry in list_plans(model) for command in _list_commands(entry, weights))
    return {
        "name": "build",
        "image": place_image(config, model),
        "args": ["sh", "-c", f"PATH=$PATH:{_BUILDER} && {script}", "build"],
        "env": [{"name": "HOME", "value": _PLANS}],
        "resources": resources,
        "terminationMessagePolicy": "FallbackToLogsOnError",
        "securityContext": dict(CONTAINER_SECURITY),
        "volumeMounts": [{"name": mount.claim, "mountPath": mount.path}, {"name": "plans", "mountPath": _PLANS}],
    }


def _list_commands(entry: TritonEntry, weights: str) -> Iterator[str]:
    """Yield the shell commands of one plan.

    A build that fails leaves the storage as it is, and a bucket takes only files that are written from front to back:
    so the plan is made beside the storage, and copied.
    """
    folder, made = locate_version(entry, weights), f"{_PLANS}/{entry.name}.plan"
    build = ["trtexec", f"--onnx={folder}/{_GRAPH}", f"--saveEngine={made}", "--skipInference"]
    yield f'{shlex.join(build)} "$@"'
    yield shlex.join(["cp", made, f"{folder}/{entry.file}"])


def list_advice(model: TritonModel) -> Iterator[str]:
    """Yield sentences for the people who run the Job."""
    for entry in list_plans(model):
        if entry.max_batch > 1:
            yield (
                f"{entry.name} takes batches of {entry.max_batch}: if the first dimension of its graph is free, append"
                " --minShapes, --optShapes and --maxShapes of its inputs to args"
            )
    yield f"then let the replicas read the plan: kubectl rollout restart deployment {model.deployment}"
