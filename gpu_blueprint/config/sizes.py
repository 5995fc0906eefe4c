"""The nodes that a pool launches: how many GPUs they hold, and whether their CPU and memory serve every slot."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ..catalog import Instance
from ..model import Model
from .scalars import PodCpu, PodMemory

if TYPE_CHECKING:
    from .pools import Pool

DAEMONSETS_MILLICPU, DAEMONSETS_MIB = 300, 512
"""Requests of the DaemonSets on a GPU node, rounded up: VPC CNI 50m, kube-proxy 100m, EBS CSI 30m and 120Mi, node
monitoring agent 10m and 30Mi, Node Feature Discovery 5m and 64Mi, node-exporter."""
_MIB = {"Mi": 1, "Gi": 1024, "Ti": 1024**2}


class PodSize(Model):
    """CPU and memory of the pod in one slot: a share of a GPU, a MIG instance or a whole GPU."""

    cpu: PodCpu
    """CPU requests, such as `"2"` or `1800m`."""
    memory: PodMemory
    """Memory requests, such as `6Gi`."""

    def __str__(self) -> str:
        return f"{self.cpu} CPU and {self.memory}"

    @property
    def millicpu(self) -> int:
        """Thousandths of a CPU."""
        return int(self.cpu[:-1]) if self.cpu.endswith("m") else int(self.cpu) * 1000

    @property
    def mib(self) -> int:
        """Memory in MiB."""
        return int(self.memory[:-2]) * _MIB[self.memory[-2:]]

    def multiply(self, slots: int) -> "PodSize":
        """Return the size of a pod that takes several slots."""
        return self if slots == 1 else write_size(self.millicpu * slots, self.mib * slots)

    def count_fitting(self, row: Instance) -> int:
        """Return how many pods a node has CPU and memory for, beside the DaemonSets."""
        millicpu, mib = measure_room(row)
        return max(min(millicpu // self.millicpu, mib // self.mib), 0)


DEFAULT_SLOT = PodSize(cpu="1800m", memory="6Gi")
"""The pod in a slot of a shared or cut GPU: four fit on a g6.2xlarge beside the DaemonSets, and two on a g6.xlarge."""


def measure_room(row: Instance) -> tuple[int, int]:
    """Return the thousandths of a CPU and the MiB of memory that a node leaves to pods beside the DaemonSets."""
    return round(row.pod_vcpu * 1000) - DAEMONSETS_MILLICPU, int(row.pod_memory_mib) - DAEMONSETS_MIB


def write_size(millicpu: int, mib: int) -> PodSize:
    """Return the size of a pod in Kubernetes' own units."""
    cpu = f"{millicpu}m" if millicpu % 1000 else str(millicpu // 1000)
    return PodSize(cpu=cpu, memory=f"{mib}Mi" if mib % 1024 else f"{mib // 1024}Gi")


def choose_sizes(pool: "Pool", rows: Iterable[Instance]) -> tuple[Instance, ...]:
    """Return the types whose number of GPUs suits a pool: by default the smallest, if one GPU is enough for its pods.

    Karpenter puts pods that arrive together on one large node for as long as the pool has any, at up to twice the
    price, and neither prices, weights nor consolidation correct that.
    """
    found = tuple(rows)
    if not pool.prefers_small_nodes or pool.instance_types or pool.gpus_per_node:
        return found
    smallest = min((row.gpu_devices for row in found), default=0)
    return tuple(row for row in found if row.gpu_devices == smallest)


def count_slots(pool: "Pool", row: Instance) -> int:
    """Return how many pods the GPUs of a node have a slot for."""
    return sum(pool.profile.count_per_node(row).values())


def count_sellable_slots(pool: "Pool", row: Instance) -> int:
    """Return how many of a node's slots can be sold, because the node also has CPU and memory for their pods."""
    slots = count_slots(pool, row)
    return min(slots, pool.slot_size.count_fitting(row)) if pool.slot_size else slots


def sells_all_slots(pool: "Pool", row: Instance) -> bool:
    """Return whether a node has CPU and memory for the pods of all its slots."""
    return count_sellable_slots(pool, row) == count_slots(pool, row)
