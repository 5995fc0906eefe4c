"""Pools whose nodes stay although they drift: another AMI or another template reaches them late, or never.

Karpenter launches the successor of a node first (``disruption/drift.go`` of 1.14.1). Where nothing is left to launch it
from, the node stays as it is, for as long as its pods run and fit on no other node.
"""

from collections.abc import Iterable, Sequence

from .cpu_pools import CpuPool
from .pools import Pool

UNTIL_EMPTY = "until they are empty, since a budget blocks drift"
UNTIL_FREE = "until they are empty or a reservation has a free instance for the successor"


def find_reason_to_stay(pool: Pool | CpuPool) -> str:
    """Return how long nodes with pods stay although they drift, such as ``until they are empty``; empty if they go."""
    if isinstance(pool, Pool) and pool.static_nodes:
        return ""
    if pool.lifecycle.blocks_drift:
        return UNTIL_EMPTY
    return UNTIL_FREE if pool.purchase == ["reserved"] else ""


def tell_drift(pools: Sequence[Pool | CpuPool]) -> str:
    """Return what becomes of the nodes of pools that drift, as clauses without a full stop."""
    late, drained = tell_late_pools(pools), [pool.name for pool in pools if not find_reason_to_stay(pool)]
    if not drained:
        return late
    return f"the nodes of {', '.join(drained)} are drained; {late}" if late else "the nodes are drained"


def tell_late_pools(pools: Iterable[Pool | CpuPool]) -> str:
    """Return which pools keep nodes that drift, and how long, as clauses without a full stop; empty if none does."""
    names: dict[str, list[str]] = {}
    for pool in pools:
        if reason := find_reason_to_stay(pool):
            names.setdefault(reason, []).append(pool.name)
    return "; ".join(f"nodes of {', '.join(found)} stay {reason}" for reason, found in names.items())
