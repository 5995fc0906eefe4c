"""Headroom: free GPUs that a pool keeps, so that the next pods start at once."""

from pydantic import Field

from ..model import Model
from .scalars import PodCpu, PodMemory
from .tenants import GpuAmount


class Headroom(Model):
    """Room for further pods. Placeholder pods of the same size hold it, give way at once, and come back on another
    node."""

    pods: int = Field(ge=1, le=1000)
    """Number of pods that the room is for."""
    gpus: GpuAmount = 1
    """GPUs of one pod, counted in the resource that the pool advertises; by MIG profile where it advertises several."""
    cpu: PodCpu | None = None
    """CPU requests of one pod, quoted. Without them a GPU may be free on a node that has no CPU left. Default: as
    `podSize` says."""
    memory: PodMemory | None = None
    """Memory requests of one pod. Default: as `podSize` says."""
