"""Reasons why the work of a pool stays where it is."""

from ...config import Pool, StackConfig
from ...sharing import Mig
from .need import find_usable_mib
from .observed import PoolUse

ACTIVITY_COVERED = 0.5
"""Part of the time with held GPUs in which their activity must be known."""
HALF_IDLE, NEARLY_FULL = 0.5, 0.85
"""If activity is below the first value and memory use above the second, only memory keeps the pool from a smaller GPU.
Frameworks reserve memory at their start (vLLM 0.9 of the GPU, JAX 0.75), so they use more memory than they need."""


def explain_stay(pool: Pool, use: PoolUse) -> str:
    """Return the reason why advise cannot judge the needs of a pool's work; empty if it can."""
    if is_leaving(pool):
        return "the stack file expects no use of it: its work moves to another pool already"
    if use.gap:
        return use.gap
    if not use.node_hours:
        return "no node of it ran in the window"
    if use.activity is None:
        return "the activity of its GPUs is not known: no pod held any, or dcgm-exporter was not scraped"
    if use.activity.coverage < ACTIVITY_COVERED:
        return f"activity is known for only {use.activity.coverage:.0%} of the time in which pods held its GPUs"
    if use.largest is None or use.largest.units > 1:
        return "its pods hold several GPUs each, and these talk over links that other GPUs may not have"
    return _explain_fields(pool)


def is_leaving(pool: Pool) -> bool:
    """Return whether the stack file expects no use of a pool, as it does when the work moves to another pool."""
    return 0 in (pool.expected_hours, pool.expected_utilization)


def _explain_fields(pool: Pool) -> str:
    """Return the reason in the stack file that keeps the work in its pool."""
    if pool.multi_node:
        return "its jobs span nodes over EFA, which the nodes of smaller GPUs lack"
    if "reserved" in pool.purchase:
        return "its reservations are paid for even if they are idle, so another GPU would save nothing"
    if pool.is_fractional:
        return "its nodes hold fractions of GPUs already"
    if isinstance(pool.sharing, Mig):
        return "its GPUs are cut by MIG already"
    if pool.shares_gpus:
        return "its GPUs are shared already, and the activity of a single pod is not measured"
    return ""


def explain_full_memory(stack: StackConfig, pool: Pool, use: PoolUse) -> str:
    """Return a note if the GPUs do little work but nearly all of their memory is taken, which hides the real need."""
    activity = use.activity
    room = find_usable_mib(stack.list_instances(pool)[0])
    if activity is None or max(activity.sm_p95, activity.dram_p95) > HALF_IDLE:
        return ""
    if activity.memory_mib < NEARLY_FULL * room:
        return ""
    return (
        f"the SMs of the busiest GPU are {activity.sm_p95:.0%} active and {activity.memory_mib / room:.0%} of the "
        "memory is taken; servers such as vLLM take memory in advance: lower --gpu-memory-utilization until requests "
        "queue, and run advise again"
    )
