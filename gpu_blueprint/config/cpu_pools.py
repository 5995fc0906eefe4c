"""CPU pools: nodes without GPUs for the pods of tenants, such as data preparation, gateways and notebooks' hubs."""

from collections.abc import Iterator
from functools import cached_property
from math import ceil
from typing import Annotated, Literal

from pydantic import Field, PrivateAttr

from ..catalog import Instance, list_instances
from ..catalog.labels import PURPOSE_LABEL
from ..catalog.node_room import NodeRoom, count_addressable_pods, find_room
from ..catalog.purchases import Purchase
from ..model import Model
from ..problem import Problem
from ..sharing import POOL_KEY
from .aws_names import Zone
from .buying import find_purchase_problems
from .disruption import Disruption, find_preset
from .network import refuse_repeated
from .nodes import Ami, Disk, Taint, find_disk_problems
from .scalars import LabelKey, LabelValue, Name, Share

Family = Literal["m", "c", "r"]
"""AWS's categories of types without GPU: general purpose, compute, memory."""
DEFAULT_CPU_POOL = "cpu"
"""Name of the CPU pool that a stack gets if it names none."""
_CPU_STEP, _MOST_CPUS = 8, 100_000
"""The default pool's ceiling is a multiple of so many vCPUs; the highest ceiling."""
_DEFAULT_CPU_USE = 0.1
"""Assumed share of the ceiling that runs in an average hour in a CPU pool that the stack file does not state."""


class CpuPool(Model):
    """One Karpenter NodePool of nodes without GPUs. Every tenant may use it, within its quota of CPU and memory. A pod
    that fits several CPU pools gets a new node of the first in the file that has room; Karpenter compares prices inside
    a pool only."""

    noun = "pool"

    name: Name
    """Name of the NodePool; pods may select the pool with the node label `gpu-blueprint/pool`."""
    purpose: Literal["cpu"]
    """`cpu` makes this a pool without GPUs."""
    instance_families: Annotated[list[Family], Field(min_length=1)] = ["m", "c", "r"]
    """Categories of instance types: `m` has 4 GiB of memory for each vCPU, `c` 2 GiB, `r` 8 GiB. The pool may use
    every type of the catalogue in them, from 2 to 32 vCPUs; of them Karpenter takes the cheapest that fits the
    waiting pods."""
    arch: Literal["amd64", "arm64"] = "amd64"
    """Architecture of the nodes. An image that is not built for it does not start."""
    max_cpus: int = Field(ge=2, le=_MOST_CPUS)
    """Ceiling of the pool in vCPUs of its nodes. Karpenter launches no more, except while it replaces nodes. The nodes
    keep a part for the system: of 2 vCPUs about 1.5 remain for pods, of 8 about 7.5. Another ceiling replaces no
    node: types that do not fit below it stay in the NodePool, and Karpenter does not launch them."""
    purchase: list[Purchase] = Field(["spot", "on-demand"], min_length=1)
    """Ways to buy capacity, tried in this order: `spot`, then `on-demand`."""
    ami: Ami = Ami()
    """Operating system of the nodes."""
    zones: Annotated[list[Zone], Field(min_length=1)] | None = None
    """Zones to launch in. Default: all zones of the network."""
    disk: Disk = Disk()
    """Volume of a node, which holds images and pods. Default: 100 GiB."""
    labels: Annotated[dict[LabelKey, LabelValue], Field(max_length=50)] = {}
    """Further labels on every node."""
    taints: list[Taint] = Field([], max_length=20)
    """Taints on every node. Default: none, so that every pod without GPU may run here."""
    expected_utilization: Share | None = None
    """Share of the ceiling that runs in an average hour, from 0 to 1, for the cost estimate. Default: 1."""
    disruption: Disruption = Disruption()
    """Overrides of the defaults: Karpenter moves pods together after 15 minutes, 10 % of the nodes at once."""

    _region: str | None = PrivateAttr(None)

    @cached_property
    def offered(self) -> tuple[Instance, ...]:
        """The instance types of the pool in the stack's region; in any region before it is known."""
        return tuple(
            row
            for row in list_instances().values()
            if not row.gpu_devices and row.family[0] in self.instance_families and row.arch == self.arch
            if self._region is None or self._region in row.regions
        )

    @property
    def named_instances(self) -> tuple[Instance, ...]:
        """The instance types that the pool names to Karpenter."""
        return self.offered

    def fits(self, row: Instance) -> bool:
        """Return whether a node of a type has no more vCPUs than the ceiling; Karpenter launches no other node."""
        return row.vcpu <= self.max_cpus

    @property
    def launched(self) -> tuple[Instance, ...]:
        """The named instance types that can launch, because one node fits below the ceiling."""
        return tuple(filter(self.fits, self.named_instances))

    def find_room(self, row: Instance) -> NodeRoom:
        """Return the CPU and memory that kubelet and DaemonSets leave for pods of teams on a node of a type."""
        return find_room(row, count_addressable_pods(row))

    @property
    def node_labels(self) -> dict[str, str]:
        """The labels of every node of the pool."""
        return {POOL_KEY: self.name, PURPOSE_LABEL: self.purpose, **self.labels}

    @property
    def node_taints(self) -> list[dict[str, str]]:
        """The taints of every node of the pool."""
        return [taint.model_dump(exclude_none=True) for taint in self.taints]

    @property
    def keeps_pods_out(self) -> bool:
        """True if a taint keeps away the pods that do not tolerate it."""
        return any(taint.effect != "PreferNoSchedule" for taint in self.taints)

    @property
    def lifecycle(self) -> Disruption:
        """The defaults of CPU pools with the pool's overrides."""
        return self.disruption.override(find_preset(self.purpose))

    def place(self, region: str | None, timezone: str) -> "CpuPool":  # noqa: ARG002  a CPU pool has no hours
        """Return the pool in the stack's region."""
        placed = self.model_copy()
        placed._region = region
        return placed

    def problems(self) -> Iterator[Problem]:
        yield from refuse_repeated(self.instance_families, "instanceFamilies")
        yield from refuse_repeated(self.zones or [], "zones")
        yield from refuse_repeated([f"{taint.key}:{taint.effect}" for taint in self.taints], "taints")
        yield from find_disk_problems(self.ami, self.disk)
        if "reserved" in self.purchase:
            reason = "reservations of this blueprint are of GPU nodes"
            yield Problem("cpu-pool-reserved", ("purchase",), reason, "write [spot, on-demand]")
        else:
            yield from find_purchase_problems(self.purchase, [])


def make_default_pool(needed: NodeRoom, region: str) -> CpuPool:
    """Make the CPU pool of a stack that names none.

    Args:
        needed: CPU and memory that the pods on GPUs leave of the quotas of all tenants. The nodes of the pool have room
            for them beside kubelet and DaemonSets, whatever sizes Karpenter launches.
        region: Region of the stack.
    """
    made = CpuPool(name=DEFAULT_CPU_POOL, purpose="cpu", maxCpus=_CPU_STEP, expectedUtilization=_DEFAULT_CPU_USE)
    cpus = _count_vcpus(made.place(region, ""), needed)
    ceiling = min(max(ceil(cpus / _CPU_STEP), 1) * _CPU_STEP, _MOST_CPUS)
    return made.model_copy(update={"max_cpus": ceiling}).place(region, "")


def _count_vcpus(pool: CpuPool, needed: NodeRoom) -> float:
    """Count the vCPUs of nodes with room for CPU and memory, on the least favourable size of the fitting family."""
    rooms = [(row, pool.find_room(row)) for row in pool.offered]
    by_cpu = max((row.vcpu * needed.cpu_milli / room.cpu_milli for row, room in rooms), default=0)
    rich = [(row, room) for row, room in rooms if row.family.startswith("r")]
    return max([by_cpu, *(row.vcpu * needed.memory_mib / room.memory_mib for row, room in rich)])
