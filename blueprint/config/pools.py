"""GPU pools: which GPUs, how they are bought, how they are shared."""

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from ..catalog import AMI_FAMILIES, AmiFamily, Gpu, Instance, gpu, instance, instances
from ..errors import Problem
from ..model import Model
from ..sharing import Exclusive, Sharing, SharingProfile, refusals, sharing_profile
from .disruption import PRESETS, Disruption, Purpose
from .network import repeated
from .scalars import GpuInstanceType, GpuModel, LabelKey, LabelValue, Name, TagKey, TagValue, Zone, resource_id

CapacityType = Literal["reserved", "spot", "on-demand"]
CAPACITY_ORDER: tuple[CapacityType, ...] = ("reserved", "spot", "on-demand")
"""The order in which Karpenter tries them; no setting changes it."""


class Ami(Model):
    """The node's operating system, pinned."""

    family: Literal["al2023", "bottlerocket"] = "al2023"
    """AL2023: the GPU Operator applies sharing. Bottlerocket: the node does, at boot."""
    version: str | None = None
    """Release, such as `v20260724` or `v1.66.0`; the catalogue's pin unless given. Never `latest`: it replaces the fleet."""

    @property
    def row(self) -> AmiFamily:
        """The catalogue's facts about the family."""
        return AMI_FAMILIES[self.family]

    @property
    def pinned(self) -> str:
        """The release that nodes run."""
        return self.version or self.row.default_version

    @property
    def alias(self) -> str:
        """Karpenter's name for it, ``family@version``."""
        return f"{self.family}@{self.pinned}"

    def problems(self) -> Iterator[Problem]:
        if self.version is not None and not self.row.is_release(self.version):
            yield Problem(
                ("version",),
                f"{self.version!r} is not a pinned {self.row.display} release such as {self.row.default_version}"
                + ("; 'latest' would replace every node at each AMI release" if "latest" in self.version else ""),
            )


class Reservation(Model):
    """Capacity that is already paid for: an On-Demand Capacity Reservation or a Capacity Block."""

    id: resource_id("cr") | None = None  # type: ignore[valid-type]
    """Reservation id."""
    tags: Annotated[dict[TagKey, TagValue], Field(min_length=1, max_length=20)] | None = None
    """Or the tags that select reservations."""

    def problems(self) -> Iterator[Problem]:
        if (self.id is None) == (self.tags is None):
            yield Problem((), "name a reservation by id or by tags, and not both")


class Disk(Model):
    """The encrypted gp3 volume of a node."""

    size_gib: int = Field(200, ge=50, le=16384)
    """Size; CUDA images need more than the AMI's 20 GiB. Types with local NVMe keep images and pods there instead."""


class Taint(Model):
    """A further taint on every node of the pool."""

    key: LabelKey
    """Taint key."""
    value: LabelValue | None = Field(None, min_length=1)
    """Taint value."""
    effect: Literal["NoSchedule", "PreferNoSchedule", "NoExecute"] = "NoSchedule"
    """What it does to pods that do not tolerate it."""


class Pool(Model):
    """One Karpenter NodePool of GPU nodes, with its node class and overlays."""

    name: Name
    """Name of the NodePool; pods select it with `karpenter.sh/nodepool`."""
    purpose: Purpose
    """What runs here; presets consolidation, expiry, disruption budgets and drain time."""
    gpu: GpuModel | None = None
    """GPU model; every instance type that carries whole GPUs of it, up to maxGpus, may be used."""
    instance_types: Annotated[list[GpuInstanceType], Field(min_length=1)] | None = None
    """Or the instance types, all with the same GPU."""
    purchase: list[CapacityType] = Field(min_length=1)
    """How capacity is bought, tried in this order: `reserved`, then `spot`, then `on-demand`."""
    reservations: list[Reservation] = Field([], max_length=30)
    """Reservations that the pool uses; needs `reserved` in purchase."""
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
    taints: list[Taint] = []
    """Further taints on every node, such as one that keeps all but training jobs off."""
    disruption: Disruption = Disruption()
    """Overrides of the purpose's preset."""

    @property
    def model(self) -> Gpu:
        """The one GPU model of the pool."""
        return gpu(self.gpu) if self.gpu else instance((self.instance_types or [""])[0]).gpu

    @property
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
    def profile(self) -> SharingProfile:
        """Everything that follows from GPU, AMI and sharing; only for a pool without problems."""
        return sharing_profile(self.name, self.model, self.ami.row, self.sharing)

    @property
    def lifecycle(self) -> Disruption:
        """The purpose's preset with the pool's overrides."""
        return self.disruption.over(PRESETS[self.purpose])

    def problems(self) -> Iterator[Problem]:
        if (self.gpu is None) == (self.instance_types is None):
            yield Problem((), "say either gpu (a model) or instanceTypes, and not both")
            return
        yield from self._type_problems()
        yield from self._purchase_problems()
        yield from refusals(self.model, self.ami.row, self.sharing, fractional=self.fractional)
        yield from repeated(self.zones or [], "zones")
        if self.purpose == "training" and self.lifecycle.consolidation_policy != "WhenEmpty":
            yield Problem(
                ("disruption", "consolidationPolicy"),
                f"{self.lifecycle.consolidation_policy!r} would end training runs to save money; training pools take WhenEmpty",
            )

    def _type_problems(self) -> Iterator[Problem]:
        if self.gpu and self.model.karpenter_name is None:
            yield Problem(
                ("gpu",),
                f"{self.gpu} is rented only as an UltraServer, which Karpenter cannot launch; choose another model",
            )
        elif not self.candidates:
            smallest = min(row.gpu_devices for row in instances().values() if row.gpu_name == self.gpu)
            yield Problem(
                ("maxGpus",),
                f"{self.max_gpus} is less than the smallest {self.gpu} node holds ({smallest}): nothing could launch",
            )
        for index, row in enumerate(self.candidates if self.instance_types else ()):
            where = ("instanceTypes", index)
            if row.gpu_name != self.model.name:
                yield Problem(
                    where,
                    f"{row.instance_type!r} has a {row.gpu_name}, {self.candidates[0].instance_type} a {self.model.name}; make two pools",
                )
            elif row.fractional != self.fractional:
                yield Problem(
                    where, f"{row.instance_type!r} mixes whole and fractional GPUs in one pool; make two pools"
                )
            elif row.arch != self.candidates[0].arch:
                yield Problem(
                    where,
                    f"{row.instance_type!r} is {row.arch}, {self.candidates[0].instance_type} is not; make two pools",
                )
            if row.gpu_devices > self.max_gpus:
                yield Problem(
                    where,
                    f"{row.instance_type!r} holds {row.gpu_devices} GPUs, more than maxGpus {self.max_gpus}: it could never launch",
                )
        yield from repeated(self.instance_types or [], "instanceTypes")

    def _purchase_problems(self) -> Iterator[Problem]:
        yield from repeated(self.purchase, "purchase")
        if list(self.purchase) != sorted(self.purchase, key=CAPACITY_ORDER.index):
            right = ", ".join(sorted(set(self.purchase), key=CAPACITY_ORDER.index))
            yield Problem(("purchase",), f"Karpenter always tries reserved, then spot, then on-demand; write [{right}]")
        if self.reservations and "reserved" not in self.purchase:
            yield Problem(
                ("purchase",),
                "the pool has reservations but never buys reserved: they would be paid and idle; put reserved first",
            )
        if "reserved" in self.purchase and not self.reservations:
            yield Problem(("reservations",), "reserved needs the reservations to use: name them by id or tags")
