"""The smallest pod that runs in a pool: its GPUs, and the CPU and memory that belong to them."""

from collections.abc import Mapping
from typing import Any

from ...catalog.resources import EFA_RESOURCE
from ...config import CpuPool, Pool, StackConfig
from ...config.pod_rooms import find_pod_room
from ...sharing import POOL_KEY
from .mutation import tolerate
from .pool_classes import name_pool_class

_HUGEPAGES_MIB = 5120
"""Hugepages that EFA takes on a node with many interfaces (EKS user guide, node-efa)."""


def build_pod(
    stack: StackConfig,
    pool: Pool,
    *,
    namespace: str = "",
    limits: Mapping[str, int] | None = None,
    is_complete: bool = False,
) -> dict[str, Any]:
    """Build the smallest pod that runs in a pool.

    It carries the fields that its tenant writes. Kubernetes 1.36 fills in the tolerations and the PriorityClass of the
    pool, in the namespaces of tenants.

    Args:
        stack: The stack of the pool.
        pool: The pool in which the pod runs.
        namespace: Namespace of the pod; by default the namespace of the first tenant with a grant in the pool.
        limits: Extended resource → count; by default the least that the pool advertises.
        is_complete: State also what Kubernetes fills in.
    """
    spec: dict[str, Any] = {"nodeSelector": {POOL_KEY: pool.name}}
    place = namespace or _find_namespace(stack, pool)
    is_tenants = any(tenant.namespace_name == place for tenant in stack.tenants)
    is_filled_in = stack.cluster.completes_pods and not is_complete
    if (tolerations := list_tolerations(pool)) and not (is_tenants and is_filled_in):
        spec["tolerations"] = tolerations
    if is_tenants and not is_filled_in:
        spec["priorityClassName"] = name_pool_class(pool)
    container = _build_container(stack, pool, dict(limits or _find_least_request(pool)))
    spec["containers"] = [container]
    if pool.multi_node:
        _prepare_for_efa(pool, spec, container)
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "example", "namespace": place},
        "spec": spec,
    }


def _build_container(stack: StackConfig, pool: Pool, requested: Mapping[str, int]) -> dict[str, Any]:
    room = find_room(stack, pool, requested)
    return {
        "name": "main",
        "image": "YOUR-IMAGE",
        # Without a limit of its own, the container would get the modest limit of the tenant's LimitRange.
        "resources": {"requests": dict(room), "limits": {"memory": room["memory"], **requested}},
    }


def build_cpu_pod(stack: StackConfig, pool: CpuPool, *, namespace: str = "") -> dict[str, Any]:
    """Build a small pod without a GPU that runs in a CPU pool, in a namespace or in the first tenant's."""
    own = next((tenant.namespace_name for tenant in stack.tenants), "YOUR-NAMESPACE")
    spec: dict[str, Any] = {"nodeSelector": {POOL_KEY: pool.name}}
    if pool.node_taints:
        spec["tolerations"] = [tolerate(taint) for taint in pool.node_taints]
    resources = {"requests": {"cpu": "1", "memory": "2Gi"}, "limits": {"memory": "2Gi"}}
    spec["containers"] = [{"name": "main", "image": "YOUR-IMAGE", "resources": resources}]
    metadata = {"name": "example", "namespace": namespace or own}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


def list_tolerations(pool: Pool) -> list[dict[str, str]]:
    """Return the tolerations of a pool's taints, but for the taint that is named after its resource.

    EKS adds that toleration to every pod that requests the resource.
    """
    resource = next(iter(pool.profile.per_device))
    taints = [taint for taint in pool.node_taints if taint["key"] != resource]
    return [tolerate(taint) for taint in taints]


def find_room(stack: StackConfig, pool: Pool, requested: Mapping[str, int]) -> dict[str, str]:
    """Return the CPU and memory that belong to a request for GPU resources.

    They are those of its slots, and for whole GPUs without ``podSize`` its share of the smallest fitting node.

    Returns:
        ``{"cpu": "700m", "memory": "3Gi"}``, as Kubernetes writes them.
    """
    units = sum(count for name, count in requested.items() if name in pool.profile.per_device)
    size = find_pod_room(stack, pool, units)
    return {"cpu": size.cpu, "memory": size.memory}


def _find_least_request(pool: Pool) -> dict[str, int]:
    """Return one unit of the pool's first resource, or a whole node if jobs span nodes."""
    resource, row = next(iter(pool.profile.per_device)), pool.candidates[0]
    if pool.multi_node:
        return {resource: row.gpu_devices, EFA_RESOURCE: row.efa_interfaces}
    return {resource: 1}


def _prepare_for_efa(pool: Pool, spec: dict[str, Any], container: dict[str, Any]) -> None:
    """Add shared memory, and either hugepages or the variable without which EFA ends a pod that has none."""
    if pool.multi_node and pool.multi_node.hugepages:
        hugepages = min(_HUGEPAGES_MIB, pool.candidates[0].efa_hugepages_mib)
        container["resources"]["limits"]["hugepages-2Mi"] = f"{hugepages}Mi"
    else:
        container["env"] = [{"name": "FI_EFA_USE_HUGE_PAGE", "value": "0"}]
    # A container has 64 MiB of shared memory by itself, and NCCL's processes on a node talk through it.
    container["volumeMounts"] = [{"name": "shared-memory", "mountPath": "/dev/shm"}]  # noqa: S108
    spec["volumes"] = [{"name": "shared-memory", "emptyDir": {"medium": "Memory"}}]


def _find_namespace(stack: StackConfig, pool: Pool) -> str:
    return next((tenant.namespace_name for tenant in stack.tenants if pool.name in tenant.gpus), "YOUR-NAMESPACE")
