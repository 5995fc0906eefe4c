"""The first pod in a pool: it shows the GPU that it got, or the CPUs of its node, and ends."""

from collections.abc import Iterator, Sequence
from typing import Any

from ..catalog.versions import CUDA_IMAGE
from ..config import CpuPool, Pool, StackConfig, Tenant
from ..images.sources import locate_image
from .pods import build_cpu_pod, build_pod

_MEMORY = "256Mi"
_CPU_IMAGE = "public.ecr.aws/amazonlinux/amazonlinux:2023"
"""A small image of AWS for amd64 and arm64, without GPU libraries."""
FIRST_IMAGES = (CUDA_IMAGE, _CPU_IMAGE)
"""The images of first pods."""


def build_first_cpu_pod(stack: StackConfig, pool: CpuPool) -> dict[str, Any]:
    """Build a pod that counts its node's CPUs, in the namespace of the first tenant, or ``default`` without tenants."""
    namespace = stack.tenants[0].namespace_name if stack.tenants else "default"
    pod = build_cpu_pod(stack, pool, namespace=namespace)
    _make_small(pod, f"cpu-test-{pool.name}", place_image(stack, _CPU_IMAGE), ["nproc"])
    return pod


def build_first_pod(stack: StackConfig, pool: Pool, tenant: Tenant | None = None) -> dict[str, Any]:
    """Build a pod that runs nvidia-smi, on a resource of a tenant's grant; by default of the first tenant with a grant.

    Without such a tenant, the pod belongs to the namespace ``default``, which has no quota.
    """
    namespace, limits = find_grant(pool, [tenant] if tenant else stack.tenants)
    pod = build_pod(stack, pool, namespace=namespace, limits=limits)
    _make_small(pod, f"gpu-test-{pool.name}", place_image(stack, CUDA_IMAGE), ["nvidia-smi"])
    return pod


def place_image(stack: StackConfig, image: str) -> str:
    """Return the reference from which nodes pull an image that the stack allows; of others, a name that it allows.

    The rule about images allows the places in the cache and in the mirror with the registry itself.
    """
    allowed = [entry.removesuffix("/") for entry in stack.allowed_images]
    if not allowed or any(image.startswith((f"{entry}/", f"{entry}:")) for entry in allowed):
        return locate_image(stack, image)
    return f"{allowed[0]}/{image.split('/', 1)[1]}"


def list_copies(stack: StackConfig) -> Iterator[tuple[str, str]]:
    """Yield each image of first pods that the stack allows only below another name, with the advice to copy it."""
    for image in FIRST_IMAGES:
        if (placed := place_image(stack, image)) != locate_image(stack, image):
            yield placed, f"copy {image} to {placed} first, because images.allowed does not name its registry"


def _make_small(pod: dict[str, Any], name: str, image: str, command: list[str]) -> None:
    pod["metadata"]["name"] = name
    pod["spec"]["restartPolicy"] = "Never"
    container = pod["spec"]["containers"][0]
    container.update(image=image, command=command)
    # The pod only looks at its node, so it must fit into the smallest quota of CPU and memory.
    container["resources"]["requests"] = {"cpu": "100m", "memory": _MEMORY}
    container["resources"]["limits"]["memory"] = _MEMORY


def find_grant(pool: Pool, tenants: Sequence[Tenant]) -> tuple[str, dict[str, int] | None]:
    """Return the namespace of the first tenant with a grant, and the request; None stands for the pool's least."""
    for tenant in tenants:
        counts = pool.count_by_unit(tenant.gpus.get(pool.name, 0))
        units = [unit for unit, count in counts.items() if count]
        if units:
            return tenant.namespace_name, None if pool.multi_node else {pool.profile.units[units[0]]: 1}
    return "default", None
