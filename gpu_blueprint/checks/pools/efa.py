"""EFA of training pools: without it, jobs that span nodes talk over TCP."""

from collections.abc import Iterator

from ...config import Pool, StackConfig
from ...problem import Problem
from ...sharing import Exclusive

_MANY_INTERFACES = 2
"""A node with one EFA interface holds a job's few GPUs alone more often than a part of a large job."""


def suggest_efa_for_training(stack: StackConfig) -> Iterator[Problem]:
    """Point out training pools of several EFA nodes without ``multiNode``."""
    for index, pool in stack.numbered_gpu_pools:
        if _may_span_nodes(stack, pool):
            yield Problem(
                "training-without-efa",
                ("pools", index),
                "the nodes offer EFA and the pool leaves it off, so jobs that span nodes talk over TCP",
                "add multiNode: {} with one instance type and one zone, unless each job stays on one node",
                severity="note",
            )


def _may_span_nodes(stack: StackConfig, pool: Pool) -> bool:
    """Return whether a pool may run jobs of several nodes, each with all its GPUs."""
    if pool.purpose != "training" or pool.multi_node or pool.static_nodes or not isinstance(pool.sharing, Exclusive):
        return False
    rows = stack.list_instances(pool)
    return all(row.efa_interfaces >= _MANY_INTERFACES and 2 * row.gpu_devices <= pool.max_gpus for row in rows)
