"""The CPU and memory that belong to a pod's GPUs, slices or shares."""

from .pools import Pool
from .sizes import PodSize, write_size
from .stack import StackConfig


def find_pod_room(stack: StackConfig, pool: Pool, units: int) -> PodSize:
    """Return the CPU and memory that belong to a number of a pool's units in one pod.

    They are those of its slots, and for whole GPUs without ``podSize`` its share of the smallest fitting node.
    """
    return pool.find_pod_size(units) or _find_share(stack, pool, units)


def _find_share(stack: StackConfig, pool: Pool, gpus: int) -> PodSize:
    """Return the part of a node that belongs to some of its GPUs, in steps that people read."""
    found = stack.list_instances(pool)
    rows = [row for row in found if row.gpu_devices >= gpus] or found
    rooms = [(pool.find_room(row), gpus / row.gpu_devices) for row in rows]
    millicpu = min(room.cpu_milli * share for room, share in rooms)
    mib = min(room.memory_mib * share for room, share in rooms)
    step = 1024 if mib >= 4096 else 256
    return write_size(max(int(millicpu) // 100 * 100, 100), max(int(mib) // step * step, step))
