"""The question about a full pool: one pod more than the ceiling."""

from collections.abc import Iterator, Sequence

from lab.scene import Manifest

from ...config import Pool, StackConfig
from ..expectations import expect_full, name_limit
from ..offers import count_reserved_nodes, list_offers, list_purchases
from ..outcome import Outcome
from ..pods import build_gpu_pod, name_pods
from ..probe import Phase, Probe
from ..stage import Stage

Filling = tuple[tuple[Manifest, ...], ...]
"""Pods that take every GPU of a pool: groups of equal pods, the largest first."""


def list_ceiling_probes(config: StackConfig, pool: Pool) -> Iterator[Probe]:
    """Yield the question whether a pool keeps its ceiling."""
    filling = build_filling(config, pool)
    more = build_gpu_pod(config, pool, f"{pool.name}-one-too-many")
    running = sum(map(len, filling))
    resource = next(iter(pool.profile.per_device))
    reason = f"Insufficient {resource}" if pool.static_nodes else name_limit(pool.name)
    expected = expect_full(pool.name, running, reason, reserved=_count_reserved(config, pool, filling))

    def play(stage: Stage) -> Outcome:
        before = stage.keep(filling)
        after = _try_out(stage, more)
        return Outcome(pods=(*before.pods, *after.pods), seconds=before.seconds + after.seconds)

    yield Probe(
        name=f"{pool.name}/ceiling",
        subject=f"pool {pool.name}",
        title="one more than the ceiling",
        phase=Phase.CEILING,
        expected=expected,
        play=play,
        alone_in=frozenset({pool.name}),
        scenery=f"{pool.name} is full",
    )


def _try_out(stage: Stage, pod: Manifest) -> Outcome:
    """Send a pod, wait for its fate, and take it away again."""
    outcome = stage.send([pod])
    stage.remove([pod])
    return outcome


def list_filling_sizes(config: StackConfig, pool: Pool) -> list[tuple[int, int]]:
    """Return (GPUs of a node, number of nodes), the largest nodes first, that together reach the ceiling of a pool."""
    offers = [offer.row for way in list_purchases(pool) for offer in list_offers(config, pool, way)]
    left, sizes = pool.max_gpus, []
    for gpus in sorted({row.gpu_devices for row in offers or config.list_instances(pool)}, reverse=True):
        if left >= gpus:
            sizes.append((gpus, left // gpus))
        left %= gpus
    return sizes


def build_filling(config: StackConfig, pool: Pool) -> Filling:
    """Return pods that take every GPU that the pool may have; each takes a node, also in place of many small pods."""
    return tuple(_build_group(config, pool, gpus, count) for gpus, count in list_filling_sizes(config, pool))


def _build_group(config: StackConfig, pool: Pool, gpus: int, count: int) -> tuple[Manifest, ...]:
    limits = pool.profile.count_at_ceiling(gpus)
    names = name_pods(f"{pool.name}-fill-{gpus}", count)
    return tuple(build_gpu_pod(config, pool, name, limits) for name in names)


def _count_reserved(config: StackConfig, pool: Pool, filling: Sequence[Sequence[Manifest]]) -> int:
    """Return the number of nodes that a reservation must hold when a pool of one type is full; else 0."""
    is_alike = len(config.list_instances(pool)) == 1
    return min(count_reserved_nodes(config, pool), sum(map(len, filling))) if is_alike else 0
