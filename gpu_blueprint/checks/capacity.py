"""Whether the capacity that pools ask for can be had: reservations, spot offerings, addresses, Karpenter's APIs."""

import re
from collections.abc import Iterator, Sized
from datetime import date, timedelta
from ipaddress import IPv4Network

from ..catalog import instances
from ..catalog.versions import HASTY_AGENT
from ..config.buying import DIVERSE_ENOUGH, Reservation
from ..config.cluster import PrivateApi
from ..config.network import NewVpc, repeated
from ..config.pools import Pool
from ..config.stack import StackConfig
from ..cost.pools import usable, users_of
from ..errors import Problem, near, under

CNI_ENIS = 2
"""ENIs whose addresses a node holds from the start: the VPC CNI keeps one in use and one warm (WARM_ENI_TARGET=1)."""
_RESERVED_BY_AWS = 5
"""Addresses of every subnet that EC2 keeps for itself."""


def capacity_problems(stack: StackConfig) -> Iterator[Problem]:
    """Yield what cannot be had; the stack's pools must be without problems of their own."""
    yield from repeated([reservation.id for reservation in stack.reservations], "reservations")
    for index, reservation in enumerate(stack.reservations):
        if reservation.zone not in stack.network.zones:
            hint = near(reservation.zone, stack.network.zones, "it has")
            yield Problem(
                "todo", ("reservations", index, "zone"), f"{reservation.zone!r} is not a zone of the network {hint}"
            )
    for index, pool in enumerate(stack.pools):
        yield from under(_term_problems(stack, pool), "pools", index, "reservations")
        yield from under(_overlay_problems(stack, pool), "pools", index)
        yield from under(_placement_problems(stack, pool), "pools", index)
    if stack.cluster.node_repair and (blind := [pool.name for pool in stack.pools if _has_no_engine(stack, pool)]):
        text = (
            f"the node monitoring agent has no DCGM engine for arm64 beside Bottlerocket ({', '.join(blind)}): it calls these nodes "
            "broken, and Karpenter would replace them for ever; leave nodeRepair out, or run AL2023 everywhere"
        )
        yield Problem("todo", ("cluster", "nodeRepair"), text)


def _has_no_engine(stack: StackConfig, pool: Pool) -> bool:
    """Whether no DCGM engine runs on its nodes: the agent's is for amd64, the GPU Operator's stays off where some pool runs Bottlerocket."""
    apart = any(other.profile.operands_off for other in stack.pools)
    return apart and any(row.arch == "arm64" for row in stack.instances_of(pool))


def _term_problems(stack: StackConfig, pool: Pool) -> Iterator[Problem]:
    known = [reservation.id for reservation in stack.reservations]
    for index, term in enumerate(pool.reservations):
        if term.id is not None and term.id not in known:
            yield Problem(
                "todo",
                (index, "id"),
                f"{term.id!r} is not declared under reservations {near(term.id, known, 'there are')}",
            )
        if term.tags is not None and not any(map(term.selects, stack.reservations)):
            yield Problem(
                "todo",
                (index, "tags"),
                "no reservation declared under reservations carries these tags; add them there, or name an id",
            )
        for reservation in filter(term.selects, stack.reservations):
            if reservation.zone not in stack.zones_of(pool):
                zones = ", ".join(stack.zones_of(pool))
                yield Problem(
                    "todo",
                    (index,),
                    f"{reservation.id} is in {reservation.zone}, the pool launches in {zones}: add the zone",
                )
            if reservation.instance_type not in [row.instance_type for row in pool.candidates]:
                text = f"{reservation.id} reserves {reservation.instance_type}, which the pool does not use"
                yield Problem("todo", (index,), f"{text}: {_type_remedy(pool, reservation)}")


def _type_remedy(pool: Pool, reservation: Reservation) -> str:
    row = instances()[reservation.instance_type]
    if row.gpu_name != pool.model.name:
        return f"it carries {row.gpu_name}, the pool is of {pool.model.name}; let another pool use it"
    if row.gpu_devices > pool.max_gpus:
        return f"raise maxGpus to {row.gpu_devices} at least, which one of them holds"
    return "add the type"


def _overlay_problems(stack: StackConfig, pool: Pool) -> Iterator[Problem]:
    if not stack.cluster.node_overlays and any(map(pool.overlay, stack.instances_of(pool))):
        yield Problem(
            "todo",
            ("staticNodes",),
            "Karpenter learns only from a NodeOverlay what these nodes hand out, and cluster.nodeOverlays: false rules that "
            "alpha API out: say staticNodes for a fixed number of nodes, or sharing: {mode: exclusive} on whole GPUs",
        )


def _placement_problems(stack: StackConfig, pool: Pool) -> Iterator[Problem]:
    if pool.multi_node is None or len(pool.zones or []) != 1:
        return
    (zone,) = pool.zones or []
    room, wanted = _room(stack).get(zone), addresses_at_ceiling(stack, pool)
    if room is not None and wanted > room:
        yield Problem(
            "todo",
            ("maxGpus",),
            f"{pool.max_gpus} GPUs need {wanted} addresses in {zone}, its subnet has {room}: make the network larger",
        )


def capacity_warnings(stack: StackConfig, today: date) -> Iterator[Problem]:
    """Yield what is legal but will be paid for nothing, run dry or end."""
    for index, reservation in enumerate(stack.reservations):
        users = users_of(stack, reservation)
        yield from under(_reservation_warnings(reservation, users, today), "reservations", index)
    for index, pool in enumerate(stack.pools):
        yield from under(_spot_warnings(stack, pool), "pools", index)
        yield from under(_ceiling_warnings(stack, pool), "pools", index)
        yield from under(_engine_warnings(stack, pool), "pools", index)
        if pool.hours is not None and pool.reservations:
            text = "outside the hours its reservations are paid and idle; let a pool without hours use them"
            yield Problem("todo", ("pools", index, "hours"), text, severity="warning")
    if isinstance(stack.cluster.api, PrivateApi) and isinstance(stack.network, NewVpc):
        text = (
            "nobody can reach a private API in a VPC that is not there yet: `pulumi up` stops once the control plane stands; "
            "route a network of allowedCidrs to the VPC and run it again there"
        )
        yield Problem("todo", ("cluster", "api"), text, severity="warning")
    if stack.cluster.node_repair:
        text = f"{HASTY_AGENT}, so that Karpenter would replace it for nothing: watch the alert GpuNodeUnhealthy for some days first"
        yield Problem("todo", ("cluster", "nodeRepair"), text, severity="warning")
    for zone, room in _room(stack).items():
        wanted = sum(
            addresses_at_ceiling(stack, pool) // len(stack.zones_of(pool))
            for pool in stack.pools
            if zone in stack.zones_of(pool)
        )
        if wanted > room:
            yield Problem(
                "todo",
                ("network",),
                f"at their ceilings the pools need {wanted} addresses in {zone}, its subnet has {room}",
                severity="warning",
            )


def _reservation_warnings(reservation: Reservation, users: list[Pool], today: date) -> Iterator[Problem]:
    if not users:
        yield Problem(
            "todo",
            (),
            f"no pool uses {reservation.id}: {reservation.instances} × {reservation.instance_type} would be paid and idle",
            severity="warning",
        )
    gpus = reservation.instances * instances()[reservation.instance_type].gpu_devices
    for pool in users:
        if gpus > pool.max_gpus:
            yield Problem(
                "todo",
                (),
                f"it holds {gpus} GPUs, pool {pool.name} takes at most {pool.max_gpus}: the rest would be paid and idle",
                severity="warning",
            )
        if reservation.ends is not None and _lifetime(pool) > reservation.ends - today:
            yield Problem("todo", ("ends",), _ending(reservation, pool, today), severity="warning")


def _ending(reservation: Reservation, pool: Pool, today: date) -> str:
    later = pool.purchase[pool.purchase.index("reserved") + 1 :]
    then = f"{pool.name} buys {' or '.join(later)}" if later else f"{pool.name} can launch nothing"
    if reservation.ends is not None and reservation.ends < today:
        return f"it ended on {reservation.ends}, so {then}: remove it"
    return f"it ends on {reservation.ends}, before nodes of {pool.name} expire: they are drained, then {then}"


def _lifetime(pool: Pool) -> timedelta:
    """How long a node of the pool may live."""
    parts = re.findall(r"(\d+)([hms])", pool.lifecycle.expire_after or "")
    units = {"h": "hours", "m": "minutes", "s": "seconds"}
    return (
        sum((timedelta(**{units[unit]: int(number)}) for number, unit in parts), timedelta())
        if parts
        else timedelta.max
    )


def _spot_warnings(stack: StackConfig, pool: Pool) -> Iterator[Problem]:
    types, zones = stack.instances_of(pool), stack.zones_of(pool)
    if "spot" not in pool.purchase or len(types) * len(zones) >= DIVERSE_ENOUGH:
        return
    chosen = {row.instance_type for row in types}
    same = [
        row.instance_type for row in instances().values()
        if row.gpu_name == pool.model.name and row.gpu_memory_mib == types[0].gpu_memory_mib
        and stack.region in row.regions and row.gpu_devices <= pool.max_gpus and row.instance_type not in chosen
    ]  # fmt: skip
    more = [zone for zone in stack.network.zones if zone not in zones]
    add = [f"types {', '.join(same[:4])}"] * bool(same) + [f"zones {', '.join(more)}"] * bool(more)
    if not add and "on-demand" in pool.purchase:
        return
    remedy = f"add {' or '.join(add)}" if add else "put on-demand behind it"
    count = f"{_many(types, 'type')} × {_many(zones, 'zone')} = {len(types) * len(zones)} spot offerings"
    yield Problem(
        "todo", ("purchase",), f"{count}, fewer than {DIVERSE_ENOUGH}, run dry often; {remedy}", severity="warning"
    )


def _many(things: Sized, noun: str) -> str:
    return f"{len(things)} {noun}{'' if len(things) == 1 else 's'}"


def _ceiling_warnings(stack: StackConfig, pool: Pool) -> Iterator[Problem]:
    held = usable(stack, pool)
    if held < pool.max_gpus:
        each = stack.instances_of(pool)[0].gpu_devices
        text = f"nodes hold {each} GPUs each: only {held} of {pool.max_gpus} can ever run"
        yield Problem("todo", ("maxGpus",), text, severity="warning")


def _engine_warnings(stack: StackConfig, pool: Pool) -> Iterator[Problem]:
    if _has_no_engine(stack, pool):
        text = "no DCGM engine for arm64 runs beside Bottlerocket: the health of these GPUs is not watched, and GpuNodeUnhealthy fires"
        yield Problem("todo", ("ami", "family"), text, severity="warning")
    apart = [other.name for other in stack.pools if other.profile.operands_off]
    if apart and pool.profile.mig_configs:
        text = (
            f"beside Bottlerocket pools ({', '.join(apart)}) the DCGM engine is the node monitoring agent's, which the MIG manager "
            "cannot stop while it cuts GPUs: watch for MigConfigFailed, or keep to one AMI family"
        )
        yield Problem("todo", ("ami", "family"), text, severity="warning")


def _room(stack: StackConfig) -> dict[str, int]:
    """Zone → addresses that its private subnets can give, where they are known."""
    if isinstance(stack.network, NewVpc):
        blocks = list(stack.network.private_cidrs.items())
    else:
        blocks = [(subnet.zone, subnet.cidr) for subnet in stack.network.subnets if subnet.cidr]
    room: dict[str, int] = {}
    for zone, block in blocks:
        room[zone] = room.get(zone, 0) + IPv4Network(block).num_addresses - _RESERVED_BY_AWS
    return room


def addresses_at_ceiling(stack: StackConfig, pool: Pool) -> int:
    """Addresses that the nodes of a pool hold at its ceiling; EFA-only interfaces hold none."""
    return max(
        -(-pool.max_gpus // row.gpu_devices) * row.addresses_per_eni * CNI_ENIS for row in stack.instances_of(pool)
    )
