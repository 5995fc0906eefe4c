"""A training run: a command on whole nodes of a pool."""

from ...config import Pool, Tenant
from ...config.disruption import SPOT_GRACE_SECONDS
from ...config.scalars import count_seconds
from ...records import Record
from ..storage.mounts import Mount

NO_RETRY_CODE = 42
"""Exit code of a program that would fail again: the run ends at once."""
STOPPED_CODE = 75
"""Exit code of a pod that was told to stop: it starts again, and nothing is counted (EX_TEMPFAIL of sysexits.h)."""
DEFAULT_RESTARTS = 3
"""Restarts of a run that fails early by itself, each time."""
MOST_RESTARTS = 20
"""Restarts of a run that works for a while before each failure that counts."""
EARLY_S = 600
"""Seconds from the start of a program within which a failure is early: the next start would most likely fail too."""
GRACE_S = SPOT_GRACE_SECONDS
"""Seconds from SIGTERM to SIGKILL, where the pool leaves them."""
DEFAULT_WAIT = "2h"
"""Time for which a node waits for the others. torchrun alone waits for 15 minutes, and a spot node takes longer on some
days; a node with a broken GPU never comes, and all others are paid for meanwhile."""
PLAIN = """\
run "$@"
finish
"""
"""The script of a run that is its program and nothing more; ``shells`` has the functions."""


def find_grace(pool: Pool) -> int:
    """Return seconds from SIGTERM to SIGKILL: no more than the pool's nodes leave, or admission refuses the run."""
    return min(GRACE_S, count_seconds(pool.lifecycle.termination_grace_period or "1h"))


class TrainingRun(Record, kw_only=True):
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
    script: str = PLAIN
    """Script of the shell around the command."""
    wait: str = DEFAULT_WAIT
    """Time for which each of several nodes waits for the others, such as ``2h``; then its program ends with 1."""
    restarts: int = DEFAULT_RESTARTS
    """Restarts after early failures, from 0 to ``MOST_RESTARTS``; without checkpoints those after all failures."""
    checkpoints: Mount | None = None
    """The storage that keeps checkpoints; the tenant may write. None if the command keeps them by itself."""
    mounts: tuple[Mount, ...] = ()
    """Further storages, none of them that of the checkpoints; the tenant may write or only read."""
    env: tuple[tuple[str, str], ...] = ()
    """Name and value of each variable that people add to the template's, or that replaces one of them."""

    @property
    def grace(self) -> int:
        """Seconds from SIGTERM to SIGKILL."""
        return find_grace(self.pool)

    @property
    def most_restarts(self) -> int:
        """Restarts that Kubernetes grants after failures that count.

        With checkpoints the shell counts early failures apart, in their folder. Without, no count outlives the pods but
        that of Kubernetes, and a restart begins with the first step.
        """
        return MOST_RESTARTS if self.checkpoints else self.restarts

    @property
    def spans_nodes(self) -> bool:
        """True if the run is a JobSet."""
        return self.nodes > 1
