"""The memory that a pool's nodes keep for mounted buckets.

The S3 driver runs a Mountpoint pod for each mounted bucket and identity on a node. The pod comes after the work is
bound and requests nothing, so neither Karpenter nor the scheduler keeps room for it. Mountpoint aims at 512 MiB at
least, and at a share of the whole node at most: the driver up to v2.7 ignores a container's own limit.
Sources: awslabs/mountpoint-s3-csi-driver docs/HEADROOM_FOR_MPPOD.md of v2.7.0 and the notes of v2.8.0;
mountpoint-s3 mem_limiter.rs. Read 2026-11-23.
"""

from .cpu_pools import CpuPool
from .pools import Pool
from .sizes import count_slots
from .stack import StackConfig
from .storage import S3Storage

MOUNTPOINT_MIB = 1024
"""Memory that a node keeps for one mounted bucket: twice the least that Mountpoint aims at. An assumption of ours."""


def count_mounted_buckets(stack: StackConfig, pool: Pool | CpuPool, pods: int) -> int:
    """Return the most buckets that a number of pods on one node of a pool can mount.

    A bucket counts once for each service account of a tenant, because a Mountpoint pod serves pods of one account
    alone. Pods of one account that differ in ``fsGroup`` get more, which nobody can foresee.
    """
    buckets = [storage for storage in stack.storage if isinstance(storage, S3Storage)]
    tenants = [tenant for tenant in stack.tenants if isinstance(pool, CpuPool) or tenant.may_use(pool.name)]
    counts = [
        sum(tenant.name in bucket.tenants for bucket in buckets)
        for tenant in tenants
        for _ in (tenant.aws_accounts if buckets else ())
    ]
    counts += [1 for model in stack.bucket_mounting_models if model.pool == pool.name]
    return sum(sorted(counts, reverse=True)[:pods])


def find_mount_memory_mib(stack: StackConfig, pool: Pool | CpuPool, pods: int) -> int:
    """Return the MiB of a node that its pods should leave to the buckets they mount; 0 if they mount none."""
    return count_mounted_buckets(stack, pool, pods) * MOUNTPOINT_MIB


def find_taken_memory_mib(stack: StackConfig, pool: Pool) -> int:
    """Return the most MiB that mounted buckets take of a node of a pool whose slots are all used."""
    slots = max((count_slots(pool, row) for row in stack.list_instances(pool)), default=0)
    return find_mount_memory_mib(stack, pool, slots)
