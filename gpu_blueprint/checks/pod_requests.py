"""One pod may only ask for GPUs that one node of its pool hands out."""

from collections.abc import Iterator

from ..config import Pool, StackConfig
from ..config.tenants import GpuAmount
from ..errors import Problem
from .tenant_quotas import grant_problems


def ask_problems(pool: Pool, grant: GpuAmount) -> Iterator[Problem]:
    """Yield why one pod cannot ask for so much of a pool."""
    yield from grant_problems(pool, grant)
    if not any(grant.values() if isinstance(grant, dict) else [grant]):
        yield Problem("todo", (), "a pod that asks for no GPU does not belong into a pool of them; give 1 or more")
    if pool.shared and isinstance(grant, int) and grant > 1:
        yield Problem(
            "todo", (), f"a pod gets one share of pool {pool.name}, and is refused if it asks for {grant}; write 1"
        )


def node_problems(stack: StackConfig, pool: Pool, grant: GpuAmount) -> Iterator[Problem]:
    """Yield why no node of a pool holds a pod that asks for so much."""
    for unit, count in pool.by_unit(grant).items():
        name = pool.profile.units[unit]
        most = max(pool.profile.per_node(row)[name] for row in stack.instances_of(pool))
        if count > most:
            text = f"a pod of {count} {name} never fits: nodes of pool {pool.name} hand out {most} at most; add a larger type"
            yield Problem("todo", (), text)
