"""A training run: a command on whole nodes of a pool."""

from dataclasses import dataclass

from ..config import Pool, Tenant
from ..storage.mounts import Mount

GRACE_S = 110
"""Seconds from SIGTERM to SIGKILL: a spot node goes 120 s after its notice, and the notice takes seconds to arrive."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingRun:
    """A command that runs on one node or more, at the cost of one tenant."""

    name: str
    """Name of the Job or the JobSet: a DNS label."""
    pool: Pool
    tenant: Tenant
    nodes: int
    """1 or more."""
    gpus: int
    """GPUs of each node; all of its GPUs if the run spans nodes."""
    image: str
    command: tuple[str, ...]
    """The program with its arguments, such as ``("torchrun", "train.py")``."""
    checkpoints: Mount | None = None
    """The storage that keeps checkpoints; the tenant may write. None if the command keeps them by itself."""

    @property
    def spans_nodes(self) -> bool:
        """True if the run is a JobSet."""
        return self.nodes > 1
