"""Bus bandwidth that NCCL should reach between nodes: the rows of nccl_marks.csv.

Bus bandwidth: NVIDIA/nccl-tests, doc/PERFORMANCE.md. Read 2026-11-23.
"""

from functools import cache

from ..records import Record, field
from .table import read_table

FILE = "nccl_marks.csv"
BASES = ("table", "rounded", "single")
PASS_SHARE = 0.9
"""Share of the published bandwidth that passes, because versions and placements differ; NVIDIA/aicr takes the same."""


class NcclMark(Record, kw_only=True):
    """One row."""

    instance_type: str
    nodes: int
    """Nodes of the measurement; other counts have other bandwidths."""
    gib: int
    """Size of the message."""
    published_gbps: float = field(name="gbps")
    """GB/s of bus bandwidth, as the source states it."""
    basis: str
    """One of BASES."""
    source: str

    @property
    def pass_gbps(self) -> float:
        """Bus bandwidth in GB/s below which a pool fails."""
        return round(PASS_SHARE * self.published_gbps, 1)


def find_nccl_mark(instance_type: str, nodes: int) -> NcclMark | None:
    """Return the mark of a type with a number of nodes; None without a published bandwidth."""
    return _list_marks().get((instance_type, nodes))


def list_nccl_marks() -> tuple[NcclMark, ...]:
    """Return all marks, in the order of the file."""
    return tuple(_list_marks().values())


@cache
def _list_marks() -> dict[tuple[str, int], NcclMark]:
    """Return instance type and nodes → row."""
    return {(mark.instance_type, mark.nodes): mark for mark in read_table(FILE, NcclMark)}
