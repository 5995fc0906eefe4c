"""Headroom, held against the nodes and the ceiling of its pool."""

from collections.abc import Iterator
from math import ceil

from ..config import Headroom, Pool, StackConfig
from ..cost.pools import ON_DEMAND, gpus_of, kept, placeholders_on
from ..errors import Problem
from .pod_requests import ask_problems, node_problems


def headroom_problems(stack: StackConfig) -> Iterator[Problem]:
    """Yield headroom that no node or no ceiling can hold; the stack's pools must be without problems."""
    for index, pool in enumerate(stack.pools):
        yield from (problem.under("pools", index, "headroom") for problem in _headroom_problems(stack, pool))


def headroom_warnings(stack: StackConfig) -> Iterator[Problem]:
    """Yield headroom that services leave no room for."""
    for index, pool in enumerate(stack.pools):
        yield from (problem.under("pools", index, "headroom", "pods") for problem in _crowding(stack, pool))


def _headroom_problems(stack: StackConfig, pool: Pool) -> Iterator[Problem]:
    room = pool.headroom
    if room is None:
        return
    if pool.static_nodes is not None:
        yield Problem("todo", (), "static nodes are always warm; leave headroom or staticNodes out")
        return
    asked = list(ask_problems(pool, room.gpus)) or list(node_problems(stack, pool, room.gpus))
    yield from (problem.under("gpus") for problem in asked)
    if asked:
        return
    if not any(placeholders_on(pool, row) for row in stack.instances_of(pool)):
        largest = max(stack.instances_of(pool), key=lambda row: row.vcpu)
        has = f"{largest.instance_type} has {largest.vcpu} CPU and {largest.memory_mib // 1024} GiB, and keeps some for itself"
        text = f"no node of the pool holds a pod of {room.cpu} CPU and {room.memory} ({has}): it would wait for ever"
        yield Problem("todo", (), text)
        return
    yield from (problem.under("pods") for problem in _ceiling_problems(stack, pool, room))


def _ceiling_problems(stack: StackConfig, pool: Pool, room: Headroom) -> Iterator[Problem]:
    """Yield why a pool's ceiling has no room for all its placeholders: by GPUs, or by the nodes that hold them."""
    names, ceiling = pool.profile.units, pool.profile.ceiling(pool.max_gpus)
    asked = {names[unit]: count * room.pods for unit, count in pool.by_unit(room.gpus).items()}
    short = {name: count for name, count in asked.items() if count > ceiling[name]}
    for name, count in short.items():
        text = f"{room.pods} pods ask for {count} {name}, the ceiling of pool {pool.name} is {ceiling[name]}"
        yield Problem("todo", (), f"{text}; lower it or raise maxGpus")
    fitting = [(row, each) for row in stack.instances_of(pool) if (each := placeholders_on(pool, row))]
    least = min(ceil(room.pods / each) * row.gpu_devices for row, each in fitting)
    if least > pool.max_gpus and not short:
        text = f"by their {room.cpu} CPU and {room.memory}, {room.pods} pods take nodes of {least} GPUs, the ceiling of pool {pool.name} is {pool.max_gpus}"
        yield Problem("todo", (), f"{text}; let one ask for less, lower it or raise maxGpus")


def _crowding(stack: StackConfig, pool: Pool) -> Iterator[Problem]:
    if room := pool.headroom:
        at_work, warm = kept(stack, pool, ON_DEMAND).at_work, gpus_of(pool, room.gpus) * room.pods
        if at_work + warm > pool.max_gpus >= max(at_work, warm):
            text = f"services keep {at_work:g} GPUs at work at least, and these {warm:g} more: the ceiling of pool {pool.name} is {pool.max_gpus}"
            yield Problem("todo", (), f"{text}, so some will always wait", severity="warning")
