"""The specs of each mount's PersistentVolume and PersistentVolumeClaim.

A volume names its claim from the start (``claimRef``), so no other namespace can bind it. All volumes are
ReadWriteMany, since the access modes of a claim are immutable: mount options, and AWS's policies for S3 and EFS, decide
whether a tenant may write.
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
"""Size of every claim. Kubernetes requires a size, no driver of shared storage reads it, and a large size would use up
the tenant's quota for its own volumes."""
_UNLIMITED = "1Pi"
"""Capacity of volumes in S3 and EFS, which have no limit."""


class FileSystem(Record):
    """The fields of a volume that exist only after AWS has created the file system; empty for S3."""

    handle: Any = None
    """``volumeHandle``, for drivers that read it."""
    attributes: Mapping[str, Any] | None = None
    """``volumeAttributes``."""


def build_volume_spec(config: StackConfig, mount: Mount, system: FileSystem) -> Any:
    """Return the ``spec`` of the PersistentVolume of a mount.

    Kubernetes mounts volumes with the same handle once per node, so each tenant's volume has its own handle.
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
    """Return the ``spec`` of the claim for the volume with this name."""
    return {
        "accessModes": [*_ACCESS_MODES],
        "volumeMode": "Filesystem",
        # The volume has no class. Without this field, Kubernetes would provision a new volume of the default class.
        "storageClassName": "",
        "volumeName": volume,
        "resources": {"requests": {"storage": _CLAIM_SIZE}},
    }


def list_mount_options(config: StackConfig, mount: Mount) -> list[str]:
    """Return the mount options of a volume; changed options take effect when a pod starts."""
    if isinstance(mount.storage, S3Storage):
        return _list_s3_options(config, mount, mount.storage)
    shared = ["flock"] if isinstance(mount.storage, LustreStorage) else []
    return [*shared, *([] if mount.may_add else ["ro"])]


def _list_s3_options(config: StackConfig, mount: Mount, storage: S3Storage) -> list[str]:
    """Return Mountpoint's options.

    They state region and throughput, because IMDS allows one network hop, and a Mountpoint pod is two hops away.
    Containers run as any user, so every user may see the files, and IAM decides which files the pod reads and writes.
    The option ``prefix`` has ``=``, because the driver splits at the first ``=``, or else at a blank: a prefix may
    contain ``=`` itself.
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
    """Return the ``volumeAttributes`` of a volume in S3; empty for file systems, which get theirs from AWS."""
    if not isinstance(mount.storage, S3Storage):
        return {}
    gib = find_cache_gib(config, mount.tenant)
    cache = {"cache": "emptyDir", "cacheEmptyDirSizeLimit": f"{gib}Gi"} if gib else {}
    return {"bucketName": name_bucket(config, mount.storage), "authenticationSource": "pod", **cache}


def _write_capacity(mount: Mount) -> str:
    return f"{mount.storage.size_gib}Gi" if isinstance(mount.storage, LustreStorage) else _UNLIMITED
