"""Checkpoints: their size, the storage that keeps them, and the time in which all nodes of a run write one."""

from ...catalog import Instance
from ...catalog.network_baselines import find_network_mib
from ...catalog.start_rates import find_start_rate
from ...catalog.storage import EFS_WRITE_MIB
from ...config.storage import AnyStorage, EfsStorage, LustreStorage
from ...records import Record
from ..pools.start_times import find_lustre_mib
from .run import GRACE_S

BYTES_PER_PARAMETER = 12.0
"""FP32 weights and Adam's two moments, 4 bytes each; a checkpoint needs no gradients and no half-precision copy.

Source: "ZeRO: Memory Optimizations Toward Training Trillion Parameter Models" (SC 2020), section 3.1, K = 12 for
mixed-precision training with Adam.
"""
NOTICE_S = 120
"""Seconds from EC2's notice until a spot node is interrupted (EC2 user guide, "Spot Instance interruption notices")."""
STOPPING_S = 20
"""Seconds of the grace that go until the last checkpoint begins: our assumption for the step in which all ranks are,
and for the agreement to stop."""


class CheckpointStore(Record, kw_only=True):
    """The place of the checkpoints, with the throughput of a run of some nodes there."""

    storage: AnyStorage | None
    """None for a bucket that the stack does not name."""
    nodes: int
    node_mib: float
    """MiB a second of one node at most."""
    total_mib: float | None = None
    """MiB a second of all nodes at most; None if the storage grows with its readers."""
    why: str
    """The bound in words."""

    @property
    def mib(self) -> float:
        """MiB a second of all nodes, each of which writes and reads its own part of a checkpoint."""
        together = self.node_mib * self.nodes
        return min(together, self.total_mib) if self.total_mib else together

    @property
    def label(self) -> str:
        """Kind and name, such as ``efs homes``."""
        return f"{self.storage.kind} {self.storage.name}" if self.storage else "a bucket of your own on S3"


def find_store(storage: AnyStorage | None, row: Instance, nodes: int) -> CheckpointStore:
    """Return a storage as a run of some nodes sees it; the network of a node bounds every rate.

    The rates of S3 and EFS are those at which nodes read weights: nobody has measured writing in the open.
    """
    network = find_network_mib(row.instance_type)
    if isinstance(storage, LustreStorage):
        whole = find_lustre_mib(storage)
        why = f"{storage.throughput} MB/s for each of its {storage.size_gib / 1024:.3g} TiB"
        return CheckpointStore(storage=storage, nodes=nodes, node_mib=network, total_mib=whole, why=why)
    rate = find_start_rate("weights-efs" if isinstance(storage, EfsStorage) else "weights-s3").value
    node_mib, total = min(rate, network), EFS_WRITE_MIB if isinstance(storage, EfsStorage) else None
    why = f"{nodes} × {node_mib:,.0f}{', the network of a node' if network < rate else ''}"
    if total:
        why += f"; EFS's quota for one file system is {total:,.0f} in most regions"
    return CheckpointStore(storage=storage, nodes=nodes, node_mib=node_mib, total_mib=total, why=why)


class Checkpoint(Record, kw_only=True):
    """The state of a run, from which it goes on."""

    parameters: float
    bytes_per_parameter: float
    store: CheckpointStore

    @property
    def bytes(self) -> float:
        """Size: parameters times bytes a parameter."""
        return self.parameters * self.bytes_per_parameter

    @property
    def gib(self) -> float:
        """Size in GiB."""
        return self.bytes / 2**30

    @property
    def seconds(self) -> float:
        """Seconds in which the nodes write the checkpoint together; reading takes as long."""
        return self.bytes / 2**20 / self.store.mib

    @property
    def fits_notice(self) -> bool:
        """True if a run can still write a checkpoint after EC2's notice."""
        return self.seconds <= GRACE_S - STOPPING_S
