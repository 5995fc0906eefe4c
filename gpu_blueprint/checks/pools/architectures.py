"""Architectures of CPU pools: an image runs only on nodes for which it is built."""

from collections.abc import Iterator

from ...config import CpuPool, StackConfig
from ...problem import Problem


def warn_of_mixed_architectures(stack: StackConfig) -> Iterator[Problem]:
    """Warn of CPU pools of two architectures between which the same pod may land."""
    first: dict[frozenset[tuple[str, str | None]], CpuPool] = {}
    for index, pool in enumerate(stack.pools):
        if not isinstance(pool, CpuPool):
            continue
        other = first.setdefault(_list_barriers(pool), pool)
        if other.arch != pool.arch:
            reason = (
                f"a pod that may run in pool {other.name} ({other.arch}) may also land in pool {pool.name} "
                f"({pool.arch}), and an image for one architecture does not start there (exec format error)"
            )
            hint = "give one of the pools a taint, or let every pod select kubernetes.io/arch"
            yield Problem("cpu-architectures-mixed", ("pools", index, "arch"), reason, hint, severity="warning")


def _list_barriers(pool: CpuPool) -> frozenset[tuple[str, str | None]]:
    """Return the taints that keep pods away which do not tolerate them."""
    return frozenset((taint.key, taint.value) for taint in pool.taints if taint.effect != "PreferNoSchedule")
