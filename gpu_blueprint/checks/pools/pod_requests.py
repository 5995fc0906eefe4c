"""Rules that compare the GPU request of one pod with the nodes of its pool."""

from collections.abc import Iterator
from math import ceil

from ...config import Pool, StackConfig
from ...config.tenants import GpuAmount
from ...problem import Problem
from ..tenants.quotas import find_amount_problems


def find_request_problems(stack: StackConfig, pool: Pool, amount: GpuAmount) -> Iterator[Problem]:
    """Yield problems of a GPU request that no pod can have, or that no node of the pool can hold."""
    found = [*find_amount_problems(pool, amount), *_refuse_count(pool, amount)]
    yield from found or _refuse_request_above_node(stack, pool, amount)


def _refuse_count(pool: Pool, amount: GpuAmount) -> Iterator[Problem]:
    if not any(amount.values() if isinstance(amount, dict) else [amount]):
        reason = "a pod that requests no GPU does not belong in a GPU pool"
        yield Problem("request-without-gpu", (), reason, "request 1 or more")
    if pool.shares_gpus and isinstance(amount, int) and amount > 1:
        reason = f"a pod gets one share of a GPU of pool {pool.name}, and a request for {amount} is refused"
        yield Problem("request-above-share", (), reason, "write 1")


def _refuse_request_above_node(stack: StackConfig, pool: Pool, amount: GpuAmount) -> Iterator[Problem]:
    for unit, count in pool.count_by_unit(amount).items():
        resource = pool.profile.units[unit]
        most = max(pool.profile.count_per_node(row)[resource] for row in stack.list_instances(pool))
        if count > most:
            reason = f"a pod of {count} {resource} never fits: nodes of pool {pool.name} advertise {most} at most"
            yield Problem(
                "request-above-node", (), reason, f"request less, or {_suggest_size(stack, pool, unit, count)}"
            )


def _suggest_size(stack: StackConfig, pool: Pool, unit: str, count: int) -> str:
    """Return the remedy for a pod with more GPUs than a node of the pool has."""
    needed = ceil(count / pool.profile.per_device[pool.profile.units[unit]])
    here = {row.gpu_devices for row in pool.whole_types if stack.region in row.regions}
    enough = min((size for size in here if size >= needed), default=None)
    if enough is None:
        return "add a larger instance type"
    raised = f" and maxGpus {enough} or more" if enough > pool.max_gpus else ""
    return f"use a pool with gpusPerNode: [{enough}]{raised}"
