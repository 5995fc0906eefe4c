"""Mistakes in the storages that people name for a run: ``--checkpoints`` and ``--mount``."""

from collections import Counter
from collections.abc import Iterator, Sequence

from ...config import StackConfig
from ...errors import suggest
from ..storage.mounts import Mount, list_mounts


def find_mount(config: StackConfig, tenant: str, storage: str) -> Mount | None:
    """Return the mount of a storage in the namespace of a tenant; None if the tenant may not mount the storage."""
    return next((m for m in list_mounts(config) if (m.storage.name, m.tenant.name) == (storage, tenant)), None)


def find_checkpoint_mistakes(config: StackConfig, tenant: str, storage: str) -> Iterator[str]:
    """Yield why the run cannot keep checkpoints in a storage, and which storages the tenant may write."""
    writable = [m.storage.name for m in list_mounts(config) if m.tenant.name == tenant and m.may_write]
    yield from _find_grant_mistakes(config, "--checkpoints", tenant, storage, writable, "write")
    mount = find_mount(config, tenant, storage)
    if mount and not mount.may_write:
        other = f"give --checkpoints {' or '.join(writable)}, or " if writable else ""
        grant = f"{other}write tenants: {{{tenant}: write}} in storage {storage}"
        may = (
            f"only add files to {storage}, and a run replaces and deletes some"
            if mount.may_add
            else f"only read {storage}"
        )
        yield f"--checkpoints: {tenant} may {may}; {grant}"


def find_mount_mistakes(config: StackConfig, tenant: str, storages: Sequence[str], checkpoints: str) -> Iterator[str]:
    """Yield why the run cannot mount some of its further storages."""
    granted = [m.storage.name for m in list_mounts(config) if m.tenant.name == tenant and m.storage.name != checkpoints]
    for storage, count in Counter(storages).items():
        yield from _find_grant_mistakes(config, "--mount", tenant, storage, granted, "read")
        if storage == checkpoints:
            yield f"--mount: {storage} is mounted already, for the checkpoints; leave --mount {storage} out"
        elif count > 1:
            yield f"--mount: {storage} is named {'twice' if count == 2 else f'{count} times'}; name it once"


def _find_grant_mistakes(
    config: StackConfig, option: str, tenant: str, storage: str, others: Sequence[str], access: str
) -> Iterator[str]:
    """Yield why the tenant cannot mount the storage with this name."""
    names = [found.name for found in config.storage]
    if storage not in names:
        yield f"{option}: there is no storage {storage!r}; {suggest(storage, names, 'there are')}"
    elif tenant in {found.name for found in config.tenants} and find_mount(config, tenant, storage) is None:
        other = f"give {option} {' or '.join(others)}, or " if others else ""
        grant = f"{other}write tenants: {{{tenant}: {access}}} in storage {storage}"
        yield f"{option}: {tenant} may not mount {storage}; {grant}"
