"""What only the stack file and the catalogue know, as constant series: shares of a GPU, prices, reservations."""

from collections.abc import Iterator
from typing import Any

from ..config import Pool, StackConfig
from ..cost.pool_cost import Node, Terms
from ..cost.pools import nodes_of, reserved_gpu, shares_of_a_gpu, terms_of
from ..sharing import Mig, mig_layout
from .metrics import resource_label

PER_UNIT = "gpu_blueprint:gpus_per_unit"
PER_DEVICE = "gpu_blueprint:gpus_per_device"
USD = "gpu_blueprint:usd_per_gpu_hour"
RESERVED = "gpu_blueprint:reserved_instances"

FACTS = {
    PER_UNIT: "What part of a GPU one unit of a resource is, by `pool` and `resource`.",
    PER_DEVICE: "What part of a GPU one device is that DCGM measures, by `pool` and, for MIG, the `slices` of its profile, such as 1g; "
    "only of pools whose nodes run dcgm-exporter.",
    USD: "Price of a GPU in US dollars an hour, by `pool`, `instance_type` and `capacity_type`, from the catalogue; of reserved ones as they are paid."
    " A Capacity Block without `usdPerHour` has none.",
    RESERVED: "Instances of a capacity reservation, by `reservation`.",
}
"""Name of a constant series → what it says."""


def facts(stack: StackConfig) -> Iterator[dict[str, Any]]:
    """Yield a recording rule for each constant of a stack."""
    for pool in stack.pools:
        for unit, share in shares_of_a_gpu(pool).items():
            yield _fact(PER_UNIT, share, pool=pool.name, resource=resource_label(pool.profile.units[unit]))
        if not pool.profile.operands_off:
            for slices, share in _device_shares(pool).items():
                yield _fact(PER_DEVICE, share, pool=pool.name, slices=slices)
        for node in nodes_of(stack, pool):
            yield from _prices(stack, pool, node)
    for one in stack.reservations:
        yield _fact(RESERVED, one.instances, reservation=str(one.id))


def _device_shares(pool: Pool) -> dict[str, float]:
    """Compute slices of a MIG profile, such as 1g → its part of a GPU; nothing stands for a whole one.

    DCGM computes the memory in a profile's name and is off where it is not whole (dcgm-exporter#713): 1g.16gb for 1g.18gb.
    """
    if not isinstance(pool.sharing, Mig):
        return {"": 1.0}
    shares, units = shares_of_a_gpu(pool), pool.profile.units
    layout = mig_layout(pool.model, pool.sharing)
    if len(layout) == 1:
        return {name.split(".")[0]: 1 / count for name, count in layout.items()}
    turns = pool.sharing.replicas or 1
    return {name.split(".")[0]: turns * shares[name] for name in layout if name in units}


def _prices(stack: StackConfig, pool: Pool, node: Node) -> Iterator[dict[str, Any]]:
    bought = terms_of(stack, pool)
    always = Terms(False, bought.spot_share, bought.plan_factor)
    prices = {
        "spot": node.gpu(bought),
        "on-demand": node.gpu(always),
        "reserved": reserved_gpu(stack, pool, node, always),
    }
    for kind in pool.purchase:
        price = prices[kind]
        if not price.unknown:
            # Nodes of a fixed size carry no label that says how they were bought.
            how = "" if pool.static_nodes else kind
            where = {"pool": pool.name, "instance_type": node.row.instance_type, "capacity_type": how}
            yield _fact(USD, round(price.known, 4), **where)


def _fact(name: str, value: float, **labels: str) -> dict[str, Any]:
    return {
        "record": name,
        "expr": f"vector({value!r})",
        "labels": {key: text for key, text in labels.items() if text},
    }
