"""The bus bandwidth that NCCL should reach between nodes: the rows of nccl_marks.csv.

Bus bandwidth: NVIDIA/nccl-tests, doc/PERFORMANCE.md. Read 2026-11-23.
"""

from functools import cache

from ..records import Record, field
from .table import read_table

FILE = "nccl_marks.csv"
BASES = ("table", "rounded", "single")
PASS_SHARE = 0.9
"""Fraction of the published bandwidth that is enough, since versions and placements differ; as in NVIDIA/aicr."""


class NcclMark(Record, kw_only=True):
    """A published bandwidth of an instance type on a number of nodes."""

    instance_type: str
    nodes: int
    """Number of nodes in the measurement; the bandwidth depends on it."""
    gib: int
    """Size of the message in GiB."""
    published_gbps: float = field(name="gbps")
    """Bus bandwidth in GB/s that the source states."""
    basis: str
    """One of BASES."""
    source: str

    @property
    def pass_gbps(self) -> float:
        """Bus bandwidth in GB/s below which a pool fails."""
        return round(PASS_SHARE * self.published_gbps, 1)


def find_nccl_mark(instance_type: str, nodes: int) -> NcclMark | None:
    """Return the mark of an instance type and a number of nodes; None if no bandwidth is published."""
    return _list_marks().get((instance_type, nodes))


def list_nccl_marks() -> tuple[NcclMark, ...]:
    """Return all marks, in the order of the file."""
    return tuple(_list_marks().values())


@cache
def _list_marks() -> dict[tuple[str, int], NcclMark]:
    """Return (instance type, nodes) → row."""
    return {(mark.instance_type, mark.nodes): mark for mark in read_table(FILE, NcclMark)}
