"""Facts about AWS, NVIDIA and Kubernetes, shipped with the repository: one table per subject, one row per thing."""

from ..errors import CatalogError
from .ami_families import AL2023, AMI_FAMILIES, BOTTLEROCKET, AmiFamily
from .gpus import GPUS, Gpu, gpu
from .instances import Instance, instance, instances, regions
from .mig import MigProfile, MigTable, profile_of
from .time_zones import time_zone, time_zones

__all__ = [
    "AL2023",
    "AMI_FAMILIES",
    "BOTTLEROCKET",
    "GPUS",
    "AmiFamily",
    "CatalogError",
    "Gpu",
    "Instance",
    "MigProfile",
    "MigTable",
    "gpu",
    "instance",
    "instances",
    "profile_of",
    "regions",
    "time_zone",
    "time_zones",
]
