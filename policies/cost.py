"""What the ceilings can cost."""

import math

from gpu_blueprint.catalog.prices import on_demand

from .pools import ZONE, amount, capacity_types, gpu_rows, pool_names, wanted
from .rule import NotYetKnownError, Report, Resource, Rule, Settings, Stack


def _under_ceiling(pool: Resource, report: Report, settings: Settings, stack: Stack) -> None:
    most = settings["hourlyUsd"]
    if not most:
        return
    known, unknown = _costs(stack)
    total = sum(known.values())
    dearest = max(known, key=lambda urn: known[urn], default="")
    if total > most and pool.urn == dearest:
        report(
            f"at their ceilings GPU pools cost {total:,.2f} $ an hour on demand, allowed are {most:,.2f} $ (most of it: {pool.name})"
        )
    elif total <= most and unknown and pool is next(stack.of("NodePool")):
        raise unknown


def _costs(stack: Stack) -> tuple[dict[str, float], NotYetKnownError | None]:
    """Dollars an hour by URN of each pool that buys, and what hides those of the others."""
    overlays = list(stack.of("NodeOverlay"))
    known: dict[str, float] = {}
    unknown: NotYetKnownError | None = None
    for pool in stack.of("NodePool"):
        try:
            if gpu_rows(pool) and capacity_types(pool) != ["reserved"]:
                known[pool.urn] = _gpus(pool, overlays) * _dearest(pool)
        except NotYetKnownError as error:
            unknown = error
    return known, unknown


def _dearest(pool: Resource) -> float:
    """On-demand dollars an hour of one GPU, on the type of the pool where it costs most."""
    zones = wanted(pool, ZONE)
    region = zones[0][:-1] if zones else "us-east-1"
    return max(_price(row.instance_type, region) / row.gpu_devices for row in gpu_rows(pool))


def _price(instance_type: str, region: str) -> float:
    price = on_demand(instance_type, region)
    if price is None:
        raise NotYetKnownError(f"the price of {instance_type} in {region}")
    return price.usd


def _gpus(pool: Resource, overlays: list[Resource]) -> float:
    """Physical GPUs that the pool's limits come to: slices are divided by what its overlay says a GPU hands out."""
    limits = {
        name: amount(count)
        for name, count in pool.get("spec", "limits", default={}).items()
        if name.startswith("nvidia.com/")
    }
    for overlay in overlays:
        if pool.get("metadata", "name") in pool_names(overlay) and gpu_rows(overlay):
            devices = gpu_rows(overlay)[0].gpu_devices
            capacity = overlay.get("spec", "capacity", default={})
            ratios = [
                count * devices / amount(capacity[name])
                for name, count in limits.items()
                if amount(capacity.get(name, 0))
            ]
            if ratios:
                return max(ratios)
    if not limits:
        return math.inf
    return limits.get("nvidia.com/gpu", 0)


RULES = (
    Rule(
        id="under-hourly-ceiling", kinds=("NodePool",), check=_under_ceiling, whole=True, settings={"hourlyUsd": 0},
        looks_at="limits of GPU pools × on-demand price", passes="the sum is under hourlyUsd, if the environment sets one", fails="it is above",
        why="the bill of a weekend at the ceiling", fix="lower maxGpus or raise the ceiling knowingly",
    ),
)  # fmt: skip
