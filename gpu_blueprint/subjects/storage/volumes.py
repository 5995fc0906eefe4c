"""The PersistentVolume and the PersistentVolumeClaim of each mount, as Kubernetes takes them.

A volume belongs to one claim from the start (``claimRef``), so no other namespace can bind it. All volumes take many
writers at once, since Kubernetes lets nobody change the access modes of a claim: whether a tenant may write is in the
mount options, and in AWS's own policies for S3 and EFS.
"""

from collections.abc import Mapping
from typing import Any

from ...catalog.storage import CSI_DRIVERS
from ...config import LustreStorage, S3Storage, StackConfig
from ...records import Record
from .caches import find_cache_gib, find_throughput_gbps
from .mounts import Mount
from .names import name_bucket

_ACCESS_MODES = ("ReadWriteMany",)
_CLAIM_SIZE = "1Mi"
"""Kubernetes asks each claim for a size. A claim of the platform must not use up the quota of the tenant's own volumes,
and no driver of shared storage reads the size."""
_ENDLESS = "1Pi"
"""Size of volumes in S3 and EFS, which have no end."""


class FileSystem(Record):
    """The parts of a volume that AWS knows only once the file system exists; S3 has none."""

    handle: Any = None
    """Handle of the volume, where the driver reads it."""
    attributes: Mapping[str, Any] | None = None
    """Attributes of the volume."""


def build_volume_spec(config: StackConfig, mount: Mount, system: FileSystem) -> Any:
    """Return the ``spec`` of the PersistentVolume of a mount.

    Kubernetes mounts volumes of one handle once on each node, so each tenant's volume has a handle of its own.
    """
    options = list_mount_options(config, mount)
    attributes = {**_build_attributes(config, mount), **(system.attributes or {})}
    return {
        "capacity": {"storage": _write_capacity(mount)},
        "accessModes": [*_ACCESS_MODES],
        "volumeMode": "Filesystem",
        # The data outlives the claim, the namespace and the volume.
        "persistentVolumeReclaimPolicy": "Retain",
        "claimRef": {
            "apiVersion": "v1",
            "kind": "PersistentVolumeClaim",
            "namespace": mount.tenant.namespace_name,
            "name": mount.claim,
        },
        **({"mountOptions": options} if options else {}),
        "csi": {
            "driver": CSI_DRIVERS[mount.storage.kind].name,
            "volumeHandle": system.handle or mount.volume,
            **({"volumeAttributes": attributes} if attributes else {}),
        },
    }


def build_claim_spec(volume: Any) -> Any:
    """Return the ``spec`` of the claim that takes the volume of a name."""
    return {
        "accessModes": [*_ACCESS_MODES],
        "volumeMode": "Filesystem",
        # An empty class is no class, and the volume has none: Kubernetes would else make one of the default class.
        "storageClassName": "",
        "volumeName": volume,
        "resources": {"requests": {"storage": _CLAIM_SIZE}},
    }


def list_mount_options(config: StackConfig, mount: Mount) -> list[str]:
    """Return the mount options of a volume; a pod gets changed options when it next starts."""
    if isinstance(mount.storage, S3Storage):
        return _list_s3_options(config, mount, mount.storage)
    shared = ["flock"] if isinstance(mount.storage, LustreStorage) else []
    return [*shared, *([] if mount.may_add else ["ro"])]


def _list_s3_options(config: StackConfig, mount: Mount, storage: S3Storage) -> list[str]:
    """Return Mountpoint's options.

    Region and throughput are stated, because a node's metadata are one network hop away, and a Mountpoint pod is two.
    Containers run as any user, so every user may see the files; IAM decides which of them the pod may read and write.
    The driver splits an option at its first ``=``, and only without it at a blank: a prefix may hold ``=`` itself.
    """
    writing = ["dir-mode 0777", "file-mode 0666"]
    return [
        "allow-other",
        f"region {config.region}",
        f"maximum-throughput-gbps {find_throughput_gbps(config, mount.tenant)}",
        *([f"prefix={storage.folder}"] if storage.folder else []),
        *(["allow-delete", "allow-overwrite"] if mount.may_write else []),
        *(writing if mount.may_add else ["read-only"]),
    ]


def _build_attributes(config: StackConfig, mount: Mount) -> dict[str, str]:
    """Return the attributes of a volume in S3; file systems get theirs from AWS."""
    if not isinstance(mount.storage, S3Storage):
        return {}
    gib = find_cache_gib(config, mount.tenant)
    cache = {"cache": "emptyDir", "cacheEmptyDirSizeLimit": f"{gib}Gi"} if gib else {}
    return {"bucketName": name_bucket(config, mount.storage), "authenticationSource": "pod", **cache}


def _write_capacity(mount: Mount) -> str:
    return f"{mount.storage.size_gib}Gi" if isinstance(mount.storage, LustreStorage) else _ENDLESS
