"""The first pod of a tenant with storage: it mounts all of it, lists each folder, and writes where the tenant may."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...config import CpuPool, StackConfig, Tenant
from ...config.storage import EfsStorage, LustreStorage
from ...subjects.storage.mounts import Mount, list_tenant_mounts
from ...subjects.storage.pods import mount_storage
from ..first_pod import build_first_cpu_pod

_ZONE = "topology.kubernetes.io/zone"
_USER = 1000
"""User of most images for notebooks, such as those of Jupyter; the default of ``uid`` and ``gid`` of homes."""
_LISTED = "/tmp/listed"  # noqa: S108
_MOST_LINES = 3
"""A bucket may hold millions of keys, and a list of all of them takes minutes."""


def build_storage_pod(stack: StackConfig, tenant: Tenant) -> dict[str, Any]:
    """Build a pod without GPU that mounts everything that a tenant with storage may mount.

    It runs beside a Lustre file system in its zone, because traffic between zones costs money and time. Its image runs
    as root, to whom a new Lustre file system belongs: other users of the team write into the folder that the pod makes.
    """
    mounts = list_tenant_mounts(stack, tenant)
    zone = find_lustre_zone(mounts)
    pool = choose_pool(stack, zone)
    pod = build_first_cpu_pod(stack, pool)
    pod["metadata"] = {"name": f"storage-test-{tenant.name}", "namespace": tenant.namespace_name}
    spec = pod["spec"]
    if zone in stack.list_zones(pool):
        spec["nodeSelector"][_ZONE] = zone
    (container,) = spec["containers"]
    container["command"] = ["sh", "-c", " && ".join(_list_commands(mounts))]
    return mount_storage(pod, mounts)


def choose_pool(stack: StackConfig, zone: str) -> CpuPool:
    """Return the CPU pool of a pod: in a zone if some pool launches there, and without taints if there is a choice.

    A stack with tenants has a CPU pool.
    """
    near = [pool for pool in stack.cpu_pools if not zone or zone in stack.list_zones(pool)]
    return min(near or stack.cpu_pools, key=lambda pool: pool.keeps_pods_out)


def find_node_zone(pod: Mapping[str, Any]) -> str:
    """Return the zone that a pod requests; empty for a pod that runs in any zone."""
    return str(pod["spec"]["nodeSelector"].get(_ZONE, ""))


def find_lustre_zone(mounts: Sequence[Mount]) -> str:
    """Return the zone of the first Lustre file system; empty without one."""
    return next((mount.storage.zone for mount in mounts if isinstance(mount.storage, LustreStorage)), "")


def _list_commands(mounts: Sequence[Mount]) -> Iterator[str]:
    """Yield shell commands: a list of each folder, and a file or a folder where the tenant may write.

    ``ls`` stands alone, because a pipe ends well whatever its first command does.
    """
    for mount in mounts:
        yield f"echo {mount.path}: && ls -U {mount.path} > {_LISTED} && head -n {_MOST_LINES} {_LISTED}"
        if mount.may_write:
            yield from _list_writes(mount, mounts)


def _list_writes(mount: Mount, mounts: Sequence[Mount]) -> Iterator[str]:
    """Yield a folder of the team on Lustre, which keeps files apart by their users, and elsewhere a file that goes."""
    if isinstance(mount.storage, LustreStorage):
        home = next((found.storage for found in mounts if isinstance(found.storage, EfsStorage)), None)
        owner = f"{home.uid}:{home.gid}" if home else f"{_USER}:{_USER}"
        folder = f"{mount.path}/{mount.tenant.name}"
        yield f"mkdir -p {folder} && chown {owner} {folder}"
    else:
        yield f"date > {mount.path}/storage-test && rm {mount.path}/storage-test"
