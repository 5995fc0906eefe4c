"""Questions about one CPU pool: the node of a pod, its ceiling, and refused ways to buy."""

from collections.abc import Iterator
from functools import partial

from lab.scene import Manifest

from ...catalog import Instance
from ...catalog.purchases import Purchase
from ...config import CpuPool, StackConfig
from ..expectations import expect_full, expect_offer, expect_pending, name_limit
from ..faults import refuse_purchase
from ..offers import list_offers, list_purchases
from ..outcome import Outcome
from ..pods import build_cpu_pool_pod
from ..probe import Phase, Probe
from ..stage import Stage
from .pools import send_pods

_MOST_FILLING_NODES = 8
"""The lab fills a pool with at most so many nodes; a larger pool keeps its ceiling in the same way."""
_CPU, _CPU_MILLI = "1", 1000


def list_cpu_pool_probes(config: StackConfig, pool: CpuPool) -> Iterator[Probe]:
    """Yield every question about a CPU pool."""
    if probe := _ask_for_pod(config, pool):
        yield probe
    yield from _refuse_purchases(config, pool)
    sizes = list_filling_types(config, pool)
    if sizes and len(sizes) <= _MOST_FILLING_NODES:
        yield _ask_above_ceiling(pool, sizes)


def _ask_for_pod(config: StackConfig, pool: CpuPool) -> Probe | None:
    """Ask for a small pod, for which Karpenter should take the cheapest node of the first way to buy."""
    offers = list_offers(config, pool, list_purchases(pool)[0])
    fitting = [offer for offer in offers if pool.find_room(offer.row).cpu_milli >= _CPU_MILLI]
    if not fitting:
        return None
    pod = build_cpu_pool_pod(pool, f"{pool.name}-one", _CPU)
    return Probe(
        name=f"{pool.name}/one-pod",
        subject=f"pool {pool.name}",
        title="a pod of one CPU",
        phase=Phase.ONE,
        expected=expect_offer(pool.name, fitting[0]),
        play=partial(send_pods, (pod,)),
        alone_in=frozenset({pool.name}),
    )


def _refuse_purchases(config: StackConfig, pool: CpuPool) -> Iterator[Probe]:
    """Yield a pod whose first way to buy is refused: the next way must hold, or the pod must wait."""
    ways = list_purchases(pool)
    if ways[0] != "spot":
        return
    offers = list_offers(config, pool, ways[1]) if ways[1:] else []
    refused: list[Purchase] = ["spot"]
    pod = build_cpu_pool_pod(pool, f"{pool.name}-without-spot", _CPU)

    def play(stage: Stage) -> Outcome:
        with refuse_purchase(stage, config, pool, refused):
            return stage.send([pod])

    yield Probe(
        name=f"{pool.name}/no-spot",
        subject=f"pool {pool.name}",
        title="spot is refused",
        phase=Phase.FAULTS,
        expected=expect_offer(pool.name, offers[0]) if offers else expect_pending(),
        play=play,
        alone_in=frozenset(other.name for other in config.cpu_pools),  # a refusal of EC2 meets all pools of a type
    )


def list_filling_types(config: StackConfig, pool: CpuPool) -> list[Instance]:
    """Return the types of nodes, the largest first, that together reach the ceiling of a pool or almost."""
    largest_first = sorted({row.vcpu: row for row in config.list_instances(pool)}.items(), reverse=True)
    left, found = pool.max_cpus, list[Instance]()
    for vcpu, row in largest_first:
        found += [row] * (left // vcpu)
        left %= vcpu
    return found


def _ask_above_ceiling(pool: CpuPool, types: list[Instance]) -> Probe:
    """Fill a pool with pods that take a node each, and ask for one pod more."""
    filling = [_build_filler(pool, row, index) for index, row in enumerate(types)]
    more = build_cpu_pool_pod(pool, f"{pool.name}-one-too-many", _CPU)

    def play(stage: Stage) -> Outcome:
        before = stage.keep([[pod] for pod in filling])
        after = stage.send([more])
        stage.remove([more])
        return Outcome(pods=(*before.pods, *after.pods), seconds=before.seconds + after.seconds)

    return Probe(
        name=f"{pool.name}/ceiling",
        subject=f"pool {pool.name}",
        title="one more than the ceiling",
        phase=Phase.CEILING,
        expected=expect_full(pool.name, len(filling), name_limit(pool.name)),
        play=play,
        alone_in=frozenset({pool.name}),
        scenery=f"{pool.name} is full",
    )


def _build_filler(pool: CpuPool, row: Instance, index: int) -> Manifest:
    """Build a pod that fits on a node with the CPUs of a type, and on no smaller node."""
    milli = int(pool.find_room(row).cpu_milli)
    return build_cpu_pool_pod(pool, f"{pool.name}-fill-{index}", f"{milli}m")
