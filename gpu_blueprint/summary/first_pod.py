"""The first pod in a pool: it shows the GPU that it got, and ends."""

from typing import Any

from ..catalog.versions import CUDA_IMAGE
from ..config import Pool, StackConfig
from .pods import build_pod

_MEMORY = "256Mi"


def build_first_pod(stack: StackConfig, pool: Pool) -> dict[str, Any]:
    """Build a pod that runs nvidia-smi, in the namespace and on the resource of the first tenant with a grant.

    Without such a tenant, the pod belongs to the namespace ``default``, which has no quota.
    """
    namespace, limits = _find_grant(stack, pool)
    pod = build_pod(stack, pool, namespace=namespace, limits=limits)
    pod["metadata"]["name"] = f"gpu-test-{pool.name}"
    pod["spec"]["restartPolicy"] = "Never"
    container = pod["spec"]["containers"][0]
    container.update(image=CUDA_IMAGE, command=["nvidia-smi"])
    # The pod only looks at its GPU, so it must fit into the smallest quota of CPU and memory.
    container["resources"]["requests"] = {"cpu": "100m", "memory": _MEMORY}
    container["resources"]["limits"]["memory"] = _MEMORY
    return pod


def _find_grant(stack: StackConfig, pool: Pool) -> tuple[str, dict[str, int] | None]:
    """Return a namespace, and the resource to request; None stands for the least that the pool hands out."""
    for grant in stack.grants_by_pool.get(pool.name, []):
        units = [unit for unit, count in pool.count_by_unit(grant.count).items() if count]
        if units:
            namespace = next(tenant.namespace_name for tenant in stack.tenants if tenant.name == grant.tenant)
            return namespace, None if pool.multi_node else {pool.profile.units[units[0]]: 1}
    return "default", None
