"""Questions about one pool: one unit, a whole node, a burst, the ceiling."""

from collections.abc import Iterator, Mapping
from functools import partial

from lab.scene import Manifest

from ..catalog.purchases import Purchase
from ..config import Pool, StackConfig
from .expectations import expect_ceiling, expect_nodes, expect_offer, expect_pending, expect_pool
from .faults import refuse_purchase
from .offers import Offer, holds, list_offers, list_purchases, price_pods
from .outcome import Expectation, Outcome
from .pods import build_gpu_pod, name_pods
from .probe import Phase, Probe
from .stage import Stage


def list_pool_probes(config: StackConfig, pool: Pool) -> Iterator[Probe]:
    """Yield every question about a pool."""
    if pool.static_nodes:
        yield from _list_static_probes(config, pool)
        return
    yield from _ask_for_units(config, pool)
    yield _ask_for_node(config, pool)
    if burst := _send_burst(config, pool):
        yield burst
    yield _fill(config, pool)
    yield from _refuse_purchases(config, pool)


def send_pods(pods: tuple[Manifest, ...], stage: Stage) -> Outcome:
    """Send the pods of a probe."""
    return stage.send(pods)


def _make(pool: Pool, name: str, title: str, phase: Phase, expected: Expectation, pods: tuple[Manifest, ...]) -> Probe:
    """Build a probe that sends pods to one pool, alone there."""
    return Probe(
        name=f"{pool.name}/{name}",
        subject=f"pool {pool.name}",
        title=title,
        phase=phase,
        expected=expected,
        play=partial(send_pods, pods),
        alone_in=frozenset({pool.name}),
    )


def find_least(pool: Pool) -> dict[str, int]:
    """Return the smallest request of the pool's first resource; a job that spans nodes asks for a whole node."""
    resource, row = next(iter(pool.profile.per_device)), pool.candidates[0]
    return {resource: row.gpu_devices if pool.multi_node else 1}


def list_fitting_offers(config: StackConfig, pool: Pool, limits: Mapping[str, int]) -> list[Offer]:
    """Return the nodes of the first way to buy on which a pod fits, cheapest first."""
    offers = list_offers(config, pool, list_purchases(pool)[0])
    return [offer for offer in offers if holds(pool, offer.row, limits)]


def expect_cheapest(config: StackConfig, pool: Pool, limits: Mapping[str, int]) -> Expectation:
    """Expect the cheapest node that holds a pod, bought in the pool's first way."""
    offers = list_fitting_offers(config, pool, limits)
    return expect_offer(pool.name, offers[0]) if offers else expect_pool(pool.name)


def _ask_for_units(config: StackConfig, pool: Pool) -> Iterator[Probe]:
    """Yield a pod that asks for one of each resource that the pool hands out."""
    for unit, resource in pool.profile.units.items():
        limits = {resource: 1} if not pool.multi_node else None
        pod = build_gpu_pod(config, pool, f"{pool.name}-one-{unit.replace('.', '-').replace('+', '-')}", limits)
        expected = expect_cheapest(config, pool, limits or find_least(pool))
        title = f"one {resource.rpartition('/')[2]}" if limits else "one node with EFA"
        yield _make(pool, f"one-{unit}", title, Phase.ONE, expected, (pod,))


def _ask_for_node(config: StackConfig, pool: Pool) -> Probe:
    """Ask for everything that the largest node hands out."""
    offers = list_offers(config, pool, list_purchases(pool)[0])
    rows = [offer.row for offer in offers] or list(config.list_instances(pool))
    largest = max(rows, key=lambda row: row.gpu_devices)
    limits = pool.profile.count_per_node(largest)
    pod = build_gpu_pod(config, pool, f"{pool.name}-node", limits)
    title = " and ".join(f"{count} {name.rpartition('/')[2]}" for name, count in limits.items())
    return _make(
        pool, "whole-node", f"a whole node: {title}", Phase.NODE, expect_cheapest(config, pool, limits), (pod,)
    )


def _send_burst(config: StackConfig, pool: Pool) -> Probe | None:
    """Send as many small pods at once as two of the smallest nodes hold; the cheapest nodes should hold them."""
    resource = next(iter(pool.profile.per_device))
    offers = list_fitting_offers(config, pool, {})
    ceiling = pool.profile.count_at_ceiling(pool.max_gpus)[resource]
    if pool.multi_node or not offers:
        return None
    count = min(ceiling, 2 * min(pool.profile.count_per_node(offer.row)[resource] for offer in offers))
    if count < 2:
        return None
    usd = price_pods(offers, pool, resource, count)
    expected = expect_nodes(
        pool.name, offers[0].purchase, usd=usd, text=f"{count} run on {offers[0].purchase}, ${usd:.2f}/h"
    )
    pods = tuple(build_gpu_pod(config, pool, name, {resource: 1}) for name in name_pods(f"{pool.name}-burst", count))
    return _make(pool, "burst", f"{count} small pods at once", Phase.BURST, expected, pods)


def list_filling_requests(config: StackConfig, pool: Pool) -> list[dict[str, int]]:
    """Return requests of whole nodes, the largest first, that together reach the ceiling of the pool."""
    offers = [offer.row for way in list_purchases(pool) for offer in list_offers(config, pool, way)]
    rows = sorted({row.gpu_devices: row for row in offers or config.list_instances(pool)}.items(), reverse=True)
    left, requests = pool.max_gpus, []
    for gpus, row in rows:
        requests += [pool.profile.count_per_node(row)] * (left // gpus)
        left %= gpus
    return requests


def build_filling_pods(config: StackConfig, pool: Pool) -> tuple[Manifest, ...]:
    """Return pods that take every GPU that the pool may have."""
    requests = list_filling_requests(config, pool)
    names = name_pods(f"{pool.name}-fill", len(requests))
    return tuple(build_gpu_pod(config, pool, name, limits) for name, limits in zip(names, requests, strict=True))


def _fill(config: StackConfig, pool: Pool) -> Probe:
    """Fill the pool to its ceiling, then ask for one more."""
    filling = build_filling_pods(config, pool)
    more = build_gpu_pod(config, pool, f"{pool.name}-one-too-many")

    def play(stage: Stage) -> Outcome:
        before = stage.send(filling)
        after = stage.send([more])
        return Outcome(pods=(*before.pods, *after.pods), seconds=before.seconds + after.seconds)

    return Probe(
        name=f"{pool.name}/ceiling",
        subject=f"pool {pool.name}",
        title="one more than the ceiling",
        phase=Phase.CEILING,
        expected=expect_ceiling(pool.name, len(filling)),
        play=play,
        alone_in=frozenset({pool.name}),
    )


def _refuse_purchases(config: StackConfig, pool: Pool) -> Iterator[Probe]:
    """Yield a pod whose first way to buy is refused: the next way must hold, or the pod must wait."""
    ways = list_purchases(pool)
    for way, following in zip(ways, [*ways[1:], None], strict=True):
        if way == "on-demand":
            continue
        yield _refuse(config, pool, ways[: ways.index(way) + 1], following)


def _refuse(config: StackConfig, pool: Pool, refused: list[Purchase], following: Purchase | None) -> Probe:
    """Build a pod that asks while all ways in ``refused`` have no capacity."""
    words = {"spot": "spot is refused", "reserved": "the reservation is full", "on-demand": ""}
    pod = build_gpu_pod(config, pool, f"{pool.name}-without-{refused[-1]}")
    limits = find_least(pool)
    offers = (
        [offer for offer in list_offers(config, pool, following) if holds(pool, offer.row, limits)] if following else []
    )
    expected = expect_offer(pool.name, offers[0]) if offers else expect_pending()

    def play(stage: Stage) -> Outcome:
        with refuse_purchase(stage, config, pool, refused):
            return stage.send([pod])

    return Probe(
        name=f"{pool.name}/no-{refused[-1]}",
        subject=f"pool {pool.name}",
        title=" and ".join(words[way] for way in refused),
        phase=Phase.FAULTS,
        expected=expected,
        play=play,
        alone_in=frozenset(_find_neighbours(config, pool)),
    )


def _find_neighbours(config: StackConfig, pool: Pool) -> Iterator[str]:
    """Yield the pools that share an instance type with a pool, and the pool: a refusal of EC2 meets all of them."""
    types = {row.instance_type for row in config.list_instances(pool)}
    for other in config.pools:
        if types & {row.instance_type for row in config.list_instances(other)}:
            yield other.name


def _list_static_probes(config: StackConfig, pool: Pool) -> Iterator[Probe]:
    """Yield the questions about a pool with a fixed number of nodes, which Karpenter does not know."""
    pod = build_gpu_pod(config, pool, f"{pool.name}-one")
    yield _make(pool, "one", "one unit on a fixed node", Phase.ONE, expect_pool(pool.name), (pod,))
