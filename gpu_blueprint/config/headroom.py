"""Warm capacity: GPUs that are kept free, so that the next pods start at once."""

from pydantic import Field

from ..catalog import Instance
from ..model import Model
from .scalars import Cpu, Memory
from .tenants import GpuAmount


class Headroom(Model):
    """Room for so many further pods, held by placeholders of the same shape that give way at once and then come back elsewhere."""

    pods: int = Field(ge=1, le=1000)
    """How many pods there is room for."""
    gpus: GpuAmount = 1
    """What one of them asks for, counted in what the pool hands out; by MIG profile where it hands out several."""
    cpu: Cpu
    """CPU requests of one of them, quoted: else the GPU is free on a node that has no CPU left."""
    memory: Memory
    """Memory requests of one of them."""

    def fit_beside_gpus(self, row: Instance) -> int:
        """How many fit on a node by CPU and memory."""
        memory = int(self.memory[:-2]) * (1024 if self.memory.endswith("Gi") else 1024**2)
        return min(row.pod_vcpu // int(self.cpu), row.pod_memory_mib // memory)
