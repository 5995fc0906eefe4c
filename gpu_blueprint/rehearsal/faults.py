"""Faults of EC2, and full pools, for the duration of a probe."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from ..catalog.api_versions import KARPENTER
from ..catalog.purchases import Purchase
from ..config import CpuPool, Pool, StackConfig
from .offers import list_reservations
from .stage import Stage


@contextmanager
def refuse_purchase(
    stage: Stage, config: StackConfig, pool: Pool | CpuPool, refused: Sequence[Purchase]
) -> Iterator[None]:
    """Let EC2 have no capacity for a pool's instance types in some capacity types."""
    faults = stage.lab.aws.faults
    patterns = {
        f"{way}:{row.instance_type}:*" for way in refused if way != "reserved" for row in config.list_instances(pool)
    }
    full = {row.id: 0 for row in list_reservations(config, pool)} if "reserved" in refused else {}
    faults.insufficient |= patterns
    faults.reservations.update(full)
    try:
        yield
    finally:
        faults.insufficient -= patterns
        for name in full:
            faults.reservations.pop(name, None)


@contextmanager
def refuse_nodes(stage: Stage, pool: Pool) -> Iterator[None]:
    """Let a pool be full: Karpenter keeps its nodes and launches no further node."""
    _limit(stage, pool, "0")
    try:
        yield
    finally:
        _limit(stage, pool, None)


def _limit(stage: Stage, pool: Pool, cpus: str | None) -> None:
    """Limit the CPUs of all nodes of a GPU pool, which has no such limit of its own; None removes the limit."""
    stage.lab.kube.patch(KARPENTER, "NodePool", pool.name, {"spec": {"limits": {"cpu": cpus}}})
