"""What the nodes of a pool are made of: image, disk, taints, network."""

from collections.abc import Iterator
from typing import Literal

from pydantic import Field

from ..catalog import AMI_FAMILIES, AmiFamily
from ..errors import Problem
from ..model import Model
from .scalars import LabelKey, LabelValue

FAST_VOLUME = {"iops": 16000, "throughput": 1000}
"""What parallel image pull wants of a gp3 volume (EKS user guide): IOPS, and MiB/s."""
BOTTLEROCKET_OS_GIB = 4
"""Bottlerocket's own volume, beside the one for images and pods."""


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
                "todo",
                ("version",),
                f"{self.version!r} is not a pinned {self.row.display} release such as {self.row.default_version}"
                + ("; 'latest' would replace every node at each AMI release" if "latest" in self.version else ""),
            )


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


class MultiNode(Model):
    """Jobs that span nodes: EFA on every network card, one cluster placement group, one zone."""

    hugepages: bool = False
    """Whether pods request `hugepages-2Mi`: Karpenter must then be told how many a node has. Without, set
    `FI_EFA_USE_HUGE_PAGE=0` in the pods."""
