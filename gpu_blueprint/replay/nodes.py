"""The state of a simulation: nodes, the pods on them, and the GPU work that the pods do."""

from dataclasses import dataclass, field

from ..records import Record
from .jobs import Job
from .offers import Offering
from .placing import Request


class Work(Record):
    """The GPU work of one pod while it runs, in GPUs."""

    share: float
    """GPUs that the pod holds: 0.5 for one of two shares."""
    wanted: float
    """GPUs of the pool that the pod would keep busy if no other pod used them; its units may limit them."""
    useful: float
    """The same work, in GPUs of the model on which the job was measured."""


@dataclass(eq=False, slots=True)
class Pod:
    """The pod of a job, or a headroom placeholder, which has no job."""

    job: Job | None
    request: Request
    work: Work
    submitted_s: float
    left_s: float
    """Seconds for which it must still run."""
    node: "Node | None" = None
    begun_s: float = 0.0
    served_before: float = 0.0
    """The value of the node's ``served`` when this pod began."""
    turn: int = 0
    """Number of times that the pod has begun to run. An end that was planned for an earlier run is ignored."""
    waited_s: float | None = None
    useful_s: float = 0.0
    """Useful GPU seconds so far, without those that an eviction has lost."""
    evictions: int = 0

    @property
    def is_running(self) -> bool:
        """True for a pod on a node that is ready."""
        return self.node is not None and self.node.ready


@dataclass(eq=False, slots=True)
class Node:
    """A node from its launch to its end, with its free CPU, memory and units."""

    offering: Offering
    launched_s: float
    index: int
    cpu_milli: float
    memory_mib: float
    units: list[int]
    pods: dict[Pod, None] = field(default_factory=dict)
    ready: bool = False
    ended_s: float | None = None
    touched_s: float = 0.0
    """Time at which a pod last began or ended on the node; before that, the time of its launch."""
    wanted: float = 0.0
    """GPUs that its running pods together would keep busy."""
    served: float = 0.0
    """Seconds of work that one pod could do until ``served_until_s``; on crowded GPUs less than 1 in a second."""
    served_until_s: float = 0.0
    is_checked: bool = False
    """True while a check for consolidation is planned."""

    @classmethod
    def launch(cls, offering: Offering, index: int, now: float) -> "Node":
        """Return an empty node that is not ready."""
        machine = offering.machine
        units = [*machine.units]
        return cls(offering, now, index, machine.cpu_milli, machine.memory_mib, units, touched_s=now)

    def fits(self, request: Request) -> bool:
        """Return whether the node has room for a pod with this request."""
        return (
            self.units[request.unit] >= request.count
            and self.cpu_milli >= request.cpu_milli
            and self.memory_mib >= request.memory_mib
            and len(self.pods) < self.offering.machine.pods
        )

    @property
    def is_full(self) -> bool:
        """True if no unit is free."""
        return not any(self.units)

    @property
    def freedom(self) -> float:
        """The score of kube-scheduler's LeastAllocated: the free fraction of CPU plus the free fraction of memory."""
        machine = self.offering.machine
        return self.cpu_milli / machine.cpu_milli + self.memory_mib / machine.memory_mib

    def add(self, pod: Pod, now: float) -> None:
        """Put a pod on the node."""
        self._serve(now)
        request = pod.request
        self.pods[pod] = None
        self.units[request.unit] -= request.count
        self.cpu_milli -= request.cpu_milli
        self.memory_mib -= request.memory_mib
        pod.node = self
        if self.ready:
            self.begin(pod, now)

    def begin(self, pod: Pod, now: float) -> None:
        """Start a pod that is on the node, now that the node is ready."""
        self._serve(now)
        self.wanted += pod.work.wanted
        pod.begun_s, pod.served_before = now, self.served
        pod.turn += 1

    def remove(self, pod: Pod, now: float) -> float:
        """Remove a pod from the node, and return the seconds of work that it did; 0 if the node is not ready."""
        self._serve(now)
        request = pod.request
        del self.pods[pod]
        self.units[request.unit] += request.count
        self.cpu_milli += request.cpu_milli
        self.memory_mib += request.memory_mib
        pod.node = None
        if not self.ready:
            return 0.0
        self.wanted = max(self.wanted - pod.work.wanted, 0.0) if self.pods else 0.0
        return self.served - pod.served_before

    def _serve(self, now: float) -> None:
        """Bring ``served`` up to date. Pods that together want more than the node's GPUs all slow down alike."""
        gpus = self.offering.machine.gpus
        crowding = self.wanted / gpus if self.wanted > gpus else 1.0
        self.served += (now - self.served_until_s) / crowding
        self.served_until_s = now
