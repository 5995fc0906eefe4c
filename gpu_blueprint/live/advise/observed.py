"""The measured use of a stack over a window, as plain numbers. Nothing here knows the source of the numbers."""

from collections.abc import Mapping
from typing import NamedTuple

from ...config import Pool
from ...records import Record, field


class Window(Record, kw_only=True):
    """The requested time, and the part of it that has data."""

    days: float
    coverage: float = 1.0
    """From 0 to 1."""
    warnings: tuple[str, ...] = ()
    """Warnings of the server about its own answers, such as a store that did not answer."""

    @property
    def hours(self) -> float:
        """Hours with data."""
        return self.days * 24 * self.coverage


class Activity(Record, kw_only=True):
    """Activity of the devices that pods held, as shares of cycles from 0 to 1. A p95 belongs to the busiest device."""

    sm_mean: float
    sm_p95: float
    tensor_p95: float
    dram_p95: float
    memory_mib: float
    """The highest memory use of one device."""
    coverage: float = 1.0
    """The part of the time with held GPUs in which their activity is known."""


class LargestPod(Record, kw_only=True):
    """The largest requests of one pod with GPUs."""

    units: float
    """Units of the pool's resource: GPUs, shares or MIG instances."""
    vcpu: float | None = None
    memory_mib: float | None = None


class NodeKind(NamedTuple):
    """An instance type and its capacity type. Static nodes carry no label with a capacity type, so theirs is empty."""

    instance_type: str
    capacity_type: str


class PoolUse(Record, kw_only=True):
    """The measured use of one pool. A GPU counts as 1 with any number of slices; means are over all hours with data."""

    gpus_mean: float = 0.0
    """GPUs of running nodes."""
    gpus_peak: float = 0.0
    gpus_low: float = 0.0
    """GPUs that ran for at least 95 % of the time."""
    held_mean: float = 0.0
    """GPUs that pods held."""
    held_peak: float = 0.0
    node_hours: Mapping[tuple[str, str], float] = field(default_factory=dict)
    """NodeKind → hours of all its nodes."""
    waiting: float = 0.0
    """Share of the time in which a pod waited long for the pool's extended resource."""
    interruptions: float = 0.0
    """Spot nodes that EC2 took back."""
    largest: LargestPod | None = None
    activity: Activity | None = None
    """None where dcgm-exporter does not run or has reported nothing."""
    unknown_types: frozenset[str] = frozenset()
    """Instance types that ran and are not in the catalogue; an empty name for nodes whose type is not visible."""

    @property
    def gap(self) -> str:
        """The reason why measurements are missing, so that advise proposes nothing; empty if none is missing."""
        if "" in self.unknown_types:
            return (
                "the instance type of some of its nodes is not known: "
                "kube-state-metrics has to show the label node.kubernetes.io/instance-type"
            )
        if self.unknown_types:
            return f"it ran on {', '.join(sorted(self.unknown_types))}, which the catalogue does not know"
        if self.node_hours and not self.gpus_peak:
            return (
                "its nodes ran, but none of them offered a GPU: "
                "is the device plugin up, and is kube_node_status_allocatable scraped?"
            )
        return ""

    def sum_hours(self, capacity_type: str) -> float:
        """Return the node-hours of one capacity type."""
        return sum(hours for (_, bought), hours in self.node_hours.items() if bought == capacity_type)


class QuotaUse(Record, kw_only=True):
    """Use of a tenant's quota of one resource, as shares of the quota."""

    peak: float
    near: float
    """Share of the time in which the tenant used nearly all of the quota."""


class QuotaKey(NamedTuple):
    """The quota of one namespace for one extended resource."""

    namespace: str
    resource: str


class Observed(Record, kw_only=True):
    """All measurements of one stack. A missing entry means that Prometheus had no data for it."""

    window: Window
    pools: Mapping[str, PoolUse] = field(default_factory=dict)
    quotas: Mapping[tuple[str, str], QuotaUse] = field(default_factory=dict)
    """QuotaKey → use."""
    reservations: Mapping[str, float] = field(default_factory=dict)
    """Reservation id → the most of its instances that ran at once."""

    def find_use(self, pool: Pool) -> PoolUse:
        """Return the use of a pool; zeros for a pool that never ran."""
        return self.pools.get(pool.name, PoolUse())
