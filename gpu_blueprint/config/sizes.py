"""The nodes that a pool launches: how many GPUs they hold, and whether their CPU and memory serve every slot."""

from collections.abc import Iterable, Sequence
from math import ceil
from typing import Protocol

from ..catalog import Instance
from ..catalog.node_room import NodeRoom, choose_max_pods, count_addressable_pods, count_team_pods
from ..model import Model
from ..sharing import SharingProfile
from .scalars import PodCpu, PodMemory

_UNIT_MIB = {"Mi": 1, "Gi": 1024, "Ti": 1024**2}


def read_room(cpu: str, memory: str) -> NodeRoom:
    """Return amounts of CPU and memory, such as ``1800m`` and ``6Gi``, in thousandths of a CPU and MiB."""
    cpu_milli = int(cpu[:-1]) if cpu.endswith("m") else int(cpu) * 1000
    return NodeRoom(cpu_milli, int(memory[:-2]) * _UNIT_MIB[memory[-2:]])


class PodSize(Model):
    """CPU and memory of the pod in one slot: a share of a GPU, a MIG instance or a whole GPU."""

    cpu: PodCpu
    """CPU requests, such as `"2"` or `1800m`."""
    memory: PodMemory
    """Memory requests, such as `6Gi`."""

    def __str__(self) -> str:
        return f"{self.cpu} CPU and {self.memory}"

    @property
    def room(self) -> NodeRoom:
        """The pod's requests: whole thousandths of a CPU, and whole MiB."""
        return read_room(self.cpu, self.memory)

    def multiply(self, slots: int) -> "PodSize":
        """Return the size of a pod that takes several slots."""
        return self if slots == 1 else write_size(*(part * slots for part in self.room))


class SizedPool(Protocol):
    """The facts of a pool that decide on its instance types; ``Pool`` has them."""

    @property
    def instance_types(self) -> Sequence[str] | None:
        """The types that the file names."""

    @property
    def gpus_per_node(self) -> Sequence[int] | None:
        """The numbers of GPUs that the file allows."""

    @property
    def prefers_small_nodes(self) -> bool:
        """True if one GPU, or a part of it, is usually enough for a pod."""

    @property
    def offered(self) -> Sequence[Instance]:
        """The types of the right size in the region."""

    @property
    def profile(self) -> SharingProfile:
        """The sharing of a GPU between pods."""

    @property
    def slot_size(self) -> PodSize | None:
        """CPU and memory of the pod in one slot."""

    @property
    def max_pods(self) -> int:
        """Most pods of a node."""

    def find_room(self, row: Instance, max_pods: int | None = None) -> NodeRoom:
        """Return the CPU and memory of a node for pods of teams."""


DEFAULT_SLOT = PodSize(cpu="1800m", memory="6Gi")
"""The pod in a slot of a shared or cut GPU: besides the DaemonSets, a g6.2xlarge holds four and a g6.xlarge one."""


def write_size(cpu_milli: float, memory_mib: float) -> PodSize:
    """Return the size of a pod in Kubernetes' own units."""
    millicpu, mib = ceil(cpu_milli), ceil(memory_mib)
    cpu = f"{millicpu}m" if millicpu % 1000 else str(millicpu // 1000)
    return PodSize(cpu=cpu, memory=f"{mib}Mi" if mib % 1024 else f"{mib // 1024}Gi")


def choose_sizes(pool: SizedPool, rows: Iterable[Instance]) -> tuple[Instance, ...]:
    """Return the types with a number of GPUs that suits a pool: by default the smallest, if a GPU is enough for a pod.

    Karpenter puts pods that arrive together on one large node for as long as the pool has any, at up to twice the
    price, and neither prices, weights nor consolidation correct that.
    """
    found = tuple(rows)
    if not pool.prefers_small_nodes or pool.instance_types or pool.gpus_per_node:
        return found
    smallest = min((row.gpu_devices for row in found), default=0)
    return tuple(row for row in found if row.gpu_devices == smallest)


def count_slots(pool: SizedPool, row: Instance) -> int:
    """Return the number of slots on the GPUs of a node."""
    return sum(pool.profile.count_per_node(row).values())


def choose_pod_limit(pool: SizedPool) -> int:
    """Return ``maxPods`` of a node, which is the same for all types of the pool.

    The types that stay in the pool decide: the types that the file names, else the types that run the pods of all their
    slots if the pool has no other type. Without such a type, the highest limit of any type counts.
    """
    slots = {row: count_slots(pool, row) for row in pool.offered}
    kept = slots if pool.instance_types else {row: slots[row] for row in slots if fills_alone(pool, row)}
    return choose_max_pods(kept) if kept else max(choose_max_pods({row: slots[row]}) for row in slots)


def fills_alone(pool: SizedPool, row: Instance) -> bool:
    """Return whether a node could run the pods of all its slots, if the pool had no other type."""
    slots = count_slots(pool, row)
    return _count_slots_with_pods(pool, row, choose_max_pods({row: slots})) == slots


def may_join(pool: SizedPool, row: Instance, others: Iterable[Instance]) -> bool:
    """Return whether a type can run the pods of all its slots, and has addresses for the pods of the others' slots."""
    needed = max((count_slots(pool, other) for other in others), default=0)
    return sells_all_slots(pool, row) and count_team_pods(count_addressable_pods(row)) >= needed


def _count_slots_with_pods(pool: SizedPool, row: Instance, max_pods: int) -> int:
    """Return how many of a node's slots get a pod, besides the DaemonSets, with a limit of ``max_pods`` pods."""
    most = min(count_slots(pool, row), count_team_pods(min(max_pods, count_addressable_pods(row))))
    return min(most, int(pool.find_room(row, max_pods).count_pods(pool.slot_size.room))) if pool.slot_size else most


def count_sellable_slots(pool: SizedPool, row: Instance) -> int:
    """Return how many of a node's slots are usable, because the node can run their pods besides the DaemonSets."""
    return _count_slots_with_pods(pool, row, pool.max_pods)


def sells_all_slots(pool: SizedPool, row: Instance) -> bool:
    """Return whether a node can run the pods of all its slots."""
    return count_sellable_slots(pool, row) == count_slots(pool, row)
