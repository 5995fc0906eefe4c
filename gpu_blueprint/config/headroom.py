"""Headroom: free GPUs that a pool keeps, so that the next pods start at once."""

from pydantic import Field

from ..catalog.node_room import NodeRoom
from ..model import Model
from .scalars import Cpu, Memory
from .tenants import GpuAmount


class Headroom(Model):
    """Room for further pods. Placeholder pods of the same size hold it, give way at once, and come back on another
    node."""

    pods: int = Field(ge=1, le=1000)
    """Number of pods that the room is for."""
    gpus: GpuAmount = 1
    """GPUs of one pod, counted in the resource that the pool hands out; by MIG profile where it hands out several."""
    cpu: Cpu
    """CPU requests of one pod, quoted. Without them a GPU may be free on a node that has no CPU left."""
    memory: Memory
    """Memory requests of one pod."""

    @property
    def size(self) -> NodeRoom:
        """CPU and memory of one pod."""
        return NodeRoom(int(self.cpu) * 1000, int(self.memory[:-2]) * (1024 if self.memory.endswith("Gi") else 1024**2))
