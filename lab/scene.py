"""Everything that the lab must know of a stack."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Manifest = Mapping[str, Any]
"""One object of Kubernetes as plain values."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reservation:
    """An On-Demand Capacity Reservation of the account."""

    id: str
    instance_type: str
    zone: str
    instances: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemNodeGroup:
    """The managed node group on which Karpenter, CoreDNS and the operators run."""

    instance_type: str
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """A stack as the lab plays it: rendered objects, and the parts of AWS that stand around them."""

    stack: str
    region: str
    zones: tuple[str, ...]
    kubernetes: str
    """Minor version of the cluster, such as ``1.36``; the AMIs follow from it."""
    cluster_name: str
    interruption_queue: str
    manifests: tuple[Manifest, ...]
    """Every rendered object, in the order in which Pulumi creates them."""
    karpenter_values: Mapping[str, Any]
    """Values of Karpenter's chart."""
    system_nodes: SystemNodeGroup
    reservations: tuple[Reservation, ...] = ()
    extra_images: tuple[str, ...] = field(default=())
    """AMI aliases that exist beside the pinned ones, such as ``al2023@v20260801``."""

    def list_kind(self, kind: str) -> list[Manifest]:
        """Return the rendered objects of a kind."""
        return [manifest for manifest in self.manifests if manifest["kind"] == kind]
