"""The names and places of shared storage in AWS."""

from ...config import StackConfig
from ...config.aws_names import fit_name
from ...config.storage import AnyStorage, LustreStorage, S3Storage

_LONGEST_BUCKET = 63
DATA_FOLDER = "/data"
"""Folder of a Lustre file system in which the objects of a bucket appear."""


def name_storage(config: StackConfig, storage: AnyStorage) -> str:
    """Return the name of a storage in AWS and in the state of Pulumi."""
    return f"{config.cluster_name}-storage-{storage.name}"


def name_bucket(config: StackConfig, storage: S3Storage) -> str:
    """Return the name of the bucket: the stated bucket, or the bucket that the platform makes.

    The names of buckets are unique in all accounts and regions, so the platform's has both. S3 takes 63 characters.
    """
    if storage.bucket:
        return storage.bucket
    name, end = f"{config.cluster_name}-{storage.name}", f"-{config.account_id}-{config.region}"
    return fit_name(name, end, _LONGEST_BUCKET)


def find_import(config: StackConfig, storage: LustreStorage) -> S3Storage | None:
    """Return the bucket whose objects a Lustre file system shows; None without ``import``."""
    buckets = (found for found in config.storage if isinstance(found, S3Storage))
    return next((found for found in buckets if found.name == storage.import_), None)
