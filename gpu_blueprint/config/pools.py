"""GPU pools: which GPUs, how they are bought, how they are shared."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from typing import Annotated

from pydantic import Field
from pydantic.alias_generators import to_camel

from ..catalog import Gpu, Instance, gpu, instance, instances
from ..catalog.labels import GPU_LABEL, PURPOSE_LABEL
from ..catalog.prices import HOURS_A_MONTH
from ..errors import Problem
from ..model import Model
from ..sharing import POOL_KEY, Exclusive, Sharing, SharingProfile, refusals, sharing_profile
from .buying import CapacityType, ReservationTerm, purchase_problems
from .disruption import PRESETS, Disruption, Purpose
from .headroom import Headroom
from .hours import Hours
from .network import repeated
from .nodes import Ami, Disk, MultiNode, Taint
from .scalars import GpuInstanceType, GpuModel, LabelKey, LabelValue, Name, Share, Zone
from .tenants import GpuAmount


class Pool(Model):
    """One Karpenter NodePool of GPU nodes, with its node class and overlays."""

    name: Name
    """Name of the NodePool; pods select it with the node label `gpu-blueprint/pool`."""
    purpose: Purpose
    """What runs here; presets consolidation, expiry, disruption budgets and drain time."""
    gpu: GpuModel | None = None
    """GPU model; every instance type that carries whole GPUs of it, up to maxGpus, may be used."""
    instance_types: Annotated[list[GpuInstanceType], Field(min_length=1)] | None = None
    """Or the instance types, all with the same GPU."""
    purchase: list[CapacityType] = Field(min_length=1)
    """How capacity is bought, tried in this order: `reserved`, then `spot`, then `on-demand`."""
    reservations: list[ReservationTerm] = Field([], max_length=30)
    """Which of the stack's reservations the pool uses; needs `reserved` in purchase."""
    checkpointed: bool = False
    """Whether jobs save their state and can go on elsewhere; training on spot needs it."""
    ami: Ami = Ami()
    """Operating system of the nodes."""
    sharing: Sharing = Exclusive()
    """How pods share a GPU; whole GPUs unless given."""
    max_gpus: int = Field(ge=1, le=10_000)
    """Ceiling of the pool in physical GPUs: Karpenter launches no more."""
    zones: Annotated[list[Zone], Field(min_length=1)] | None = None
    """Zones to launch in; all of the network's unless given."""
    disk: Disk = Disk()
    """The node's volume."""
    labels: Annotated[dict[LabelKey, LabelValue], Field(max_length=50)] = {}
    """Further labels on every node."""
    taints: list[Taint] = Field([], max_length=20)
    """Further taints on every node, such as one that keeps all but training jobs off."""
    expected_hours: Annotated[float, Field(ge=0, le=HOURS_A_MONTH, allow_inf_nan=False)] | None = None
    """Hours a month in which the whole ceiling is expected to run, for the cost estimate; all in which it is open unless given."""
    expected_utilization: Share | None = None
    """Or the share of the ceiling that is expected to run in the average hour in which the pool is open, from 0 to 1."""
    multi_node: MultiNode | None = None
    """For jobs that span nodes: EFA, a placement group, one zone. Needs one instance type."""
    static_nodes: int | None = Field(None, ge=1, le=100)
    """A fixed number of nodes in an EKS managed node group instead of Karpenter's: always on, no alpha API needed."""
    hours: Hours | None = None
    """When the pool is open; outside it scales to zero and comes back by itself. Always open unless given. Training that runs at
    the close runs on; other pods are evicted, and go to whichever open pool suits them. Open the pool by hand before you take the
    field away (docs/decisions/0007), or it stays closed."""
    headroom: Headroom | None = None
    """GPUs that are kept warm for the next pods; none unless given. They are paid for in all the pool's hours."""
    disruption: Disruption = Disruption()
    """Overrides of the purpose's preset."""

    @property
    def model(self) -> Gpu:
        """The one GPU model of the pool."""
        return gpu(self.gpu) if self.gpu else instance((self.instance_types or [""])[0]).gpu

    @cached_property
    def candidates(self) -> tuple[Instance, ...]:
        """The instance types that the pool may use in some region."""
        if self.instance_types:
            return tuple(map(instance, self.instance_types))
        return tuple(
            row for row in instances().values()
            if row.gpu_name == self.gpu and not row.fractional and row.gpu_devices <= self.max_gpus and not row.bare_metal
        )  # fmt: skip

    @property
    def fractional(self) -> bool:
        """Whether its nodes hold vGPU fractions."""
        return bool(self.candidates) and self.candidates[0].fractional

    @property
    def placed(self) -> bool:
        """Whether its nodes go into a placement group of ours; reserved capacity lies where it was reserved."""
        return self.multi_node is not None and "reserved" not in self.purchase

    @cached_property
    def profile(self) -> SharingProfile:
        """Everything that follows from GPU, AMI and sharing; only for a pool without problems."""
        return sharing_profile(self.name, self.model, self.ami.row, self.sharing)

    @property
    def node_labels(self) -> dict[str, str]:
        """The labels of every node of the pool; the labels of the sharing profile choose the GPU Operator's configs."""
        own = {POOL_KEY: self.name, GPU_LABEL: self.model.name, PURPOSE_LABEL: self.purpose}
        return {**own, **self.profile.node_labels, **self.labels}

    @property
    def node_taints(self) -> list[dict[str, str]]:
        """The taints of every node of the pool: the sharing profile's taint first, then those of the stack file."""
        return [dict(self.profile.taint), *(taint.model_dump(exclude_none=True) for taint in self.taints)]

    @property
    def shared(self) -> bool:
        """Whether several pods get one GPU, or one MIG instance."""
        return getattr(self.sharing, "replicas", None) is not None

    @property
    def lifecycle(self) -> Disruption:
        """The purpose's preset with the pool's overrides."""
        return self.disruption.over(PRESETS[self.purpose])

    @property
    def holds_jobs(self) -> bool:
        """Whether the end of its hours lets what runs finish, where it takes nodes away from other pools."""
        return self.purpose == "training"

    @property
    def hours_per_month(self) -> float:
        """Hours of an average month in which it may run."""
        return self.hours.per_month if self.hours else HOURS_A_MONTH

    @property
    def says_no_expectation(self) -> bool:
        """Whether nothing says how much of it will be used."""
        return self.expected_hours is None and self.expected_utilization is None and not self.static_nodes

    def problems(self) -> Iterator[Problem]:
        if (self.gpu is None) == (self.instance_types is None):
            yield Problem("todo", (), "say either gpu (a model) or instanceTypes, and not both")
            return
        yield from self._type_problems()
        yield from purchase_problems(self.purchase, self.reservations)
        for problem in refusals(self.model, self.ami.row, self.sharing, fractional=self.fractional):
            by_type = problem.path == ("gpu",) and self.gpu is None
            yield replace(problem, path=("instanceTypes",)) if by_type else problem
        yield from repeated(self.zones or [], "zones")
        if self.purpose == "training" and self.lifecycle.consolidation_policy != "WhenEmpty":
            yield Problem(
                "todo",
                ("disruption", "consolidationPolicy"),
                f"{self.lifecycle.consolidation_policy!r} would end training runs to save money; training pools take WhenEmpty",
            )
        if self.purpose == "training" and "spot" in self.purchase and not self.checkpointed:
            yield Problem(
                "todo",
                ("purchase",),
                "spot can end a training run with two minutes' notice: say checkpointed: true if jobs resume, or leave spot out",
            )
        yield from repeated([f"{taint.key}:{taint.effect}" for taint in self.taints], "taints")
        yield from self._multi_node_problems()
        yield from self._expectation_problems()
        yield from self._static_problems()
        yield from self._hours_problems()

    def by_unit(self, grant: GpuAmount) -> dict[str, int]:
        """What a grant is by what users call the resource; a bare count is of the first."""
        return grant if isinstance(grant, dict) else {next(iter(self.profile.units)): grant}

    def overlay(self, row: Instance) -> dict[str, str]:
        """What Karpenter must be told about nodes of a type, as quantities; empty where EC2's own view is right."""
        if self.static_nodes:
            return {}
        capacity = {name: str(count) for name, count in self.profile.overlay(row).items()}
        if self.multi_node and self.multi_node.hugepages:
            capacity["hugepages-2Mi"] = f"{row.efa_hugepages_mib}Mi"
        return capacity

    def _type_problems(self) -> Iterator[Problem]:
        if self.gpu and self.model.karpenter_name is None:
            yield Problem(
                "todo",
                ("gpu",),
                f"{self.gpu} is rented only as an UltraServer, which Karpenter cannot launch; choose another model",
            )
        elif not self.candidates:
            smallest = min(row.gpu_devices for row in instances().values() if row.gpu_name == self.gpu)
            yield Problem(
                "todo",
                ("maxGpus",),
                f"{self.max_gpus} is less than the smallest {self.gpu} node holds ({smallest}): nothing could launch",
            )
        for index, row in enumerate(self.candidates if self.instance_types else ()):
            where = ("instanceTypes", index)
            if row.gpu_name != self.model.name:
                yield Problem(
                    "todo",
                    where,
                    f"{row.instance_type!r} carries {row.gpu_name}, {self.candidates[0].instance_type} carries {self.model.name}; make two pools",
                )
            elif row.fractional != self.fractional:
                yield Problem(
                    "todo", where, f"{row.instance_type!r} mixes whole and fractional GPUs in one pool; make two pools"
                )
            elif row.gpu_memory_mib != self.candidates[0].gpu_memory_mib:
                sizes = f"{row.gpu_memory_mib} MiB, {self.candidates[0].instance_type} one of {self.candidates[0].gpu_memory_mib} MiB"
                yield Problem(
                    "todo",
                    where,
                    f"{row.instance_type!r} holds a fraction of {sizes}: pods could not tell; make two pools",
                )
            if row.gpu_devices > self.max_gpus:
                yield Problem(
                    "todo",
                    where,
                    f"{row.instance_type!r} holds {row.gpu_devices} GPUs, more than maxGpus {self.max_gpus}: it could never launch",
                )
        yield from repeated(self.instance_types or [], "instanceTypes")

    def _multi_node_problems(self) -> Iterator[Problem]:
        if self.multi_node is None:
            return
        if len(self.candidates) != 1:
            yield Problem(
                "todo", ("multiNode",), "EFA interfaces are laid out per type: name exactly one in instanceTypes"
            )
        elif not self.candidates[0].efa_interfaces:
            yield Problem(
                "todo", ("multiNode",), f"{self.candidates[0].instance_type} has no EFA; choose a larger or newer type"
            )
        elif self.multi_node.hugepages and not self.candidates[0].efa_hugepages_mib:
            yield Problem(
                "todo",
                ("multiNode", "hugepages"),
                f"nobody has reported how many hugepages a {self.candidates[0].instance_type} offers; "
                "leave it out and set FI_EFA_USE_HUGE_PAGE=0 in the pods",
            )
        if not isinstance(self.sharing, Exclusive):
            yield Problem(
                "todo",
                ("sharing",),
                "jobs that span nodes take whole GPUs: MIG cuts NVLink, and shared GPUs wait for each other",
            )
        if len(self.zones or []) != 1:
            yield Problem("todo", ("zones",), "a placement group lies in one zone: name exactly one")

    def _expectation_problems(self) -> Iterator[Problem]:
        if self.expected_hours is not None and self.expected_utilization is not None:
            yield Problem("todo", ("expectedUtilization",), "expectedHours says it already; leave one of them out")
        for field in ("expected_hours", "expected_utilization"):
            if self.static_nodes and getattr(self, field) is not None:
                yield Problem(
                    "todo", (to_camel(field),), "static nodes are paid in every hour, whatever runs; leave it out"
                )
        if self.expected_hours is not None and self.expected_hours > round(self.hours_per_month, 1):
            text = (
                f"{self.expected_hours:g} is more than the {self.hours_per_month:.0f} hours a month of the pool's hours"
            )
            yield Problem("todo", ("expectedHours",), text)

    def _static_problems(self) -> Iterator[Problem]:
        if self.static_nodes is None:
            return
        if self.ami.family != "al2023" or self.ami.version is not None:
            yield Problem(
                "todo",
                ("ami",),
                "static nodes run the AL2023 release that the catalogue pins for the cluster; leave ami out",
            )
        if len(self.purchase) != 1 or self.purchase == ["reserved"]:
            yield Problem("todo", ("purchase",), "a managed node group buys in one way: [on-demand] or [spot]")
        if self.multi_node is not None:
            yield Problem("todo", ("multiNode",), "static nodes have no EFA here; leave multiNode or staticNodes out")
        if self.zones is None:
            yield Problem(
                "todo",
                ("zones",),
                "name the zones of static nodes: a zone that the network gains later would replace them all",
            )
        sizes = {row.gpu_devices for row in self.candidates}
        if len(sizes) != 1:
            yield Problem(
                "todo",
                ("staticNodes",),
                "static nodes must be alike: name instanceTypes that hold the same number of GPUs",
            )
        elif self.static_nodes * max(sizes) != self.max_gpus:
            held = self.static_nodes * max(sizes)
            yield Problem(
                "todo",
                ("maxGpus",),
                f"{self.static_nodes} static nodes hold {held} GPUs, not {self.max_gpus}; write {held}",
            )

    def _hours_problems(self) -> Iterator[Problem]:
        if self.hours is None:
            return
        if self.static_nodes is not None:
            yield Problem("todo", ("hours",), "static nodes are always on; leave hours or staticNodes out")
        if self.purchase == ["reserved"]:
            yield Problem(
                "todo", ("hours",), "reserved capacity is paid around the clock, so hours save nothing; leave them out"
            )
        if self.holds_jobs and self.lifecycle.keeps_empty_nodes:
            yield Problem(
                "todo",
                ("hours",),
                "a training pool closes by losing its empty nodes, which its disruption never allows; "
                "give consolidateAfter a duration, and Empty a budget above 0",
            )
