"""A rule about isolation between tenants with grants in the same pool."""

from collections.abc import Iterator

from ...config import StackConfig
from ...problem import Problem
from ...sharing import Mig
from ...subjects.tenants.isolation import shares_memory


def warn_of_tenants_on_one_gpu(stack: StackConfig) -> Iterator[Problem]:
    """Warn of pools where pods of two tenants may share the memory of a GPU."""
    for index, pool in stack.numbered_gpu_pools:
        tenants = tuple(tenant.name for tenant in stack.tenants if tenant.may_use(pool.name))
        if len(tenants) > 1 and shares_memory(pool):
            *first, last = tenants
            remedy = "leave replicas out" if isinstance(pool.sharing, Mig) else "cut the GPUs with MIG where they can"
            yield Problem(
                "tenants-share-gpu-memory",
                ("pools", index, "sharing"),
                f"pods of {', '.join(first)} and {last} share the memory of GPUs in pool {pool.name}: each can use it "
                "up, and a fault of one can end the work of the others",
                f"give each tenant a pool of its own, or {remedy}; docs/isolation.md compares the ways",
                severity="warning",
                names=tenants,
            )
