"""The memory that a pool's nodes keep for mounted buckets.

The S3 driver runs a Mountpoint pod for each mounted bucket and identity on a node. This pod starts after the workload's
pod is bound, and requests nothing, so neither Karpenter nor the scheduler reserves memory for it. Mountpoint aims for
at least 512 MiB, and at most for a share of the node's memory: the driver up to v2.7 ignores a container's own limit.
Sources: awslabs/mountpoint-s3-csi-driver docs/HEADROOM_FOR_MPPOD.md of v2.7.0 and the notes of v2.8.0; mountpoint-s3
mem_limiter.rs. Read 2026-11-23.
"""

from .cpu_pools import CpuPool
from .pools import Pool
from .sizes import count_slots
from .stack import StackConfig
from .storage import S3Storage

MOUNTPOINT_MIB = 1024
"""Memory that a node keeps for one mounted bucket: twice Mountpoint's minimum, as this product assumes."""


def count_mounted_buckets(stack: StackConfig, pool: Pool | CpuPool, pods: int) -> int:
    """Return the most buckets that a number of pods on one node of a pool can mount.

    A bucket counts once for each service account of a tenant, because a Mountpoint pod serves pods of one account
    alone. Pods of one account with different ``fsGroup`` need further Mountpoint pods, which are not counted.
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
    """Return the MiB that pods on a node should leave free for mounted buckets; 0 if they mount none."""
    return count_mounted_buckets(stack, pool, pods) * MOUNTPOINT_MIB


def find_taken_memory_mib(stack: StackConfig, pool: Pool) -> int:
    """Return the most MiB that mounted buckets take on one node of a pool, with a pod in every slot."""
    slots = max((count_slots(pool, row) for row in stack.list_instances(pool)), default=0)
    return find_mount_memory_mib(stack, pool, slots)
