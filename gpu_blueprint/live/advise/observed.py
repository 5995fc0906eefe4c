"""What was measured of a stack over a window, as plain numbers; nothing here knows where they come from."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from ...config import Pool


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """The time that was asked for, and what part of it has data."""

    days: float
    coverage: float = 1.0
    """From 0 to 1."""
    warnings: tuple[str, ...] = ()
    """What the server said against its own answers, such as that a part of it did not take part."""

    @property
    def hours(self) -> float:
        """Hours with data."""
        return self.days * 24 * self.coverage


@dataclass(frozen=True, slots=True, kw_only=True)
class Activity:
    """What the devices did that pods held; shares of cycles from 0 to 1. A p95 is that of the busiest device."""

    sm_mean: float
    sm_p95: float
    tensor_p95: float
    dram_p95: float
    memory_mib: float
    """The most that was ever used of one device."""
    coverage: float = 1.0
    """For what part of the time in which GPUs were held it is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Largest:
    """The most that one pod with GPUs asked for."""

    units: float
    """Units of the pool's resource: GPUs, shares or MIG instances."""
    vcpu: float | None = None
    memory_mib: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolUse:
    """One pool. GPUs count as one however many slices they are cut into; means are over all hours with data."""

    gpus_mean: float = 0.0
    """GPUs of running nodes."""
    gpus_peak: float = 0.0
    gpus_low: float = 0.0
    """What ran in 95 % of the time at least."""
    held_mean: float = 0.0
    """GPUs that pods held."""
    held_peak: float = 0.0
    node_hours: Mapping[tuple[str, str], float] = field(default_factory=dict)
    """(instance type, capacity type) → hours of all its nodes; nodes of a fixed size have no capacity type."""
    waiting: float = 0.0
    """Share of the time in which a pod had waited for a GPU of such a name for long."""
    interruptions: float = 0.0
    """Spot nodes that EC2 took back."""
    largest: Largest | None = None
    activity: Activity | None = None
    """None where no dcgm-exporter runs or has said anything."""
    unknown_types: frozenset[str] = frozenset()
    """Instance types that ran and that the catalogue does not know; an empty one where a node's type is not shown."""

    @property
    def unclear(self) -> str:
        """Why the rest cannot be true or whole, so that nothing is proposed of the pool; empty where it can."""
        if "" in self.unknown_types:
            return "of its nodes the instance type is not known: kube-state-metrics has to show the label node.kubernetes.io/instance-type"
        if self.unknown_types:
            return f"it ran on {', '.join(sorted(self.unknown_types))}, which the catalogue does not know"
        if self.node_hours and not self.gpus_peak:
            return "nodes of it ran, and none was seen to hand out a GPU: is the device plugin up, and kube_node_status_allocatable scraped?"
        return ""

    def hours_of(self, capacity_type: str) -> float:
        """Node-hours that were bought in one way."""
        return sum(hours for (_, how), hours in self.node_hours.items() if how == capacity_type)


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotaUse:
    """How much a tenant used of what it may request of one resource, as shares of it."""

    peak: float
    near: float
    """Share of the time in which it used nearly all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Observed:
    """Everything that was measured of one stack; what is missing was not there."""

    window: Window
    pools: Mapping[str, PoolUse] = field(default_factory=dict)
    quotas: Mapping[tuple[str, str], QuotaUse] = field(default_factory=dict)
    """(namespace, extended resource) → use."""
    reservations: Mapping[str, float] = field(default_factory=dict)
    """Reservation id → the most of its instances that ran at once."""

    def of(self, pool: Pool) -> PoolUse:
        """What was seen of a pool; of one that never ran, nothing."""
        return self.pools.get(pool.name, PoolUse())
