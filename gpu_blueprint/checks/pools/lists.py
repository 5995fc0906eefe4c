"""The list of pools: at least one with GPUs, each name once, and windows in the time zone of the stack."""

from collections.abc import Iterator

from ...config import StackConfig
from ...problem import Problem, move_under
from ..facet import early
from ..repeated_names import find_repeated_names


@early
def refuse_stacks_without_gpus(stack: StackConfig) -> Iterator[Problem]:
    """Refuse a stack whose pools are all CPU pools."""
    if not stack.gpu_pools:
        reason = "every pool is a CPU pool, and the platform is made for GPUs"
        yield Problem("no-gpu-pool", ("pools",), reason, "add a pool with GPUs", names=("pools",))


@early
def refuse_wrong_windows(stack: StackConfig) -> Iterator[Problem]:
    """Refuse windows of disruption budgets that Karpenter cannot keep in UTC."""
    for index, pool in enumerate(stack.pools):
        found = pool.disruption.find_window_problems(stack.timezone)
        yield from move_under(found, "pools", index, "disruption", "budgets")


@early
def refuse_repeated_pools(stack: StackConfig) -> Iterator[Problem]:
    """Refuse two pools of one name."""
    yield from find_repeated_names([pool.name for pool in stack.pools], "pools", "name")
