"""The EKS cluster: version, who reaches it, what protects it."""

from collections.abc import Iterator
from ipaddress import IPv4Network
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from ..catalog import CatalogError, instance
from ..catalog.versions import (
    DEFAULT_KUBERNETES,
    GPU_OPERATOR,
    GPU_OPERATOR_KUBERNETES,
    KARPENTER_VERSIONS,
    KUBERNETES,
    KubernetesRelease,
    numbers,
)
from ..errors import Problem
from ..model import Model
from .aws_names import KmsKeyArn, PrincipalArn, SystemInstanceType
from .network import repeated
from .scalars import Cidr, Name, is_inside


def _kubernetes(value: str) -> str:
    if value not in KUBERNETES:
        oldest, newest = GPU_OPERATOR_KUBERNETES
        raise ValueError(
            f"{value!r} is not a Kubernetes version that this blueprint has pins for (it has {', '.join(KUBERNETES)}; "
            f"GPU Operator {GPU_OPERATOR.version} is validated for {oldest} to {newest})"
        )
    return value


def _karpenter(value: str) -> str:
    if value not in KARPENTER_VERSIONS:
        raise CatalogError.unknown("Karpenter version", value, KARPENTER_VERSIONS)
    return value


LogType = Literal["api", "audit", "authenticator", "controllerManager", "scheduler"]


class PrivateApi(Model):
    """Reach the Kubernetes API only from inside the VPC; `pulumi up` must run there too."""

    access: Literal["private"]
    """No public endpoint."""
    allowed_cidrs: list[Cidr] = []
    """Blocks outside the VPC that are routed to it and may connect, such as the VPN or the network of CI runners."""

    def problems(self) -> Iterator[Problem]:
        for index, cidr in enumerate(self.allowed_cidrs):
            if not is_inside(cidr):
                yield Problem(
                    "todo", ("allowedCidrs", index), f"{cidr!r} is no private network: nothing else is routed to a VPC"
                )
        yield from repeated(self.allowed_cidrs, "allowedCidrs")


class PublicApi(Model):
    """Reach the Kubernetes API also from named address blocks; nodes still use the private endpoint."""

    access: Literal["public"]
    """A public endpoint, limited to the blocks below."""
    allowed_cidrs: list[Cidr] = Field(min_length=1)
    """Blocks that may connect: offices, VPN, CI. Never the whole internet."""

    def problems(self) -> Iterator[Problem]:
        for index, cidr in enumerate(self.allowed_cidrs):
            if IPv4Network(cidr).prefixlen < 8:
                yield Problem(
                    "todo",
                    ("allowedCidrs", index),
                    f"{cidr!r} opens the Kubernetes API to the world; name the blocks you connect from",
                )
        yield from repeated(self.allowed_cidrs, "allowedCidrs")


SYSTEM_DISK_GIB = 50
"""The gp3 volume of a system node."""


class SystemNodes(Model):
    """The managed node group that Karpenter, CoreDNS and the operators run on; it never holds GPUs."""

    instance_types: list[SystemInstanceType] = Field(["m7i.large"], min_length=1)
    """Instance types without GPU, all of one architecture."""
    count: int = Field(2, ge=2, le=20)
    """How many nodes, spread over the zones; two at least, so that both replicas of Karpenter can run."""

    def problems(self) -> Iterator[Problem]:
        arches = {name: instance(name).arch for name in self.instance_types}
        if len(set(arches.values())) > 1:
            yield Problem(
                "todo",
                ("instanceTypes",),
                f"mixes architectures ({', '.join(f'{n} is {a}' for n, a in arches.items())}); choose one",
            )
        yield from repeated(self.instance_types, "instanceTypes")


class Cluster(Model):
    """The EKS control plane and who may use it."""

    name: Name | None = None
    """Cluster name; `gpu-<environment>` unless given."""
    kubernetes_version: Annotated[str, AfterValidator(_kubernetes)] = DEFAULT_KUBERNETES
    """Kubernetes minor version, quoted. Add-ons and node images are pinned for it."""
    karpenter_version: Annotated[str, AfterValidator(_karpenter)] = KARPENTER_VERSIONS[0]
    """Karpenter release; an environment may stay one behind while another tries the newest."""
    api: Annotated[PrivateApi | PublicApi, Field(discriminator="access")]
    """Who reaches the Kubernetes API over the network."""
    service_cidr: Cidr = "172.20.0.0/16"
    """Addresses of Kubernetes services; must not overlap the VPC. Fixed once the cluster exists."""
    admins: list[PrincipalArn] = Field(min_length=1)
    """IAM roles or users that administer the cluster. The role that runs `pulumi up` must be one of them."""
    viewers: list[PrincipalArn] = []
    """IAM roles or users that may read what is in namespaces, secrets excepted."""
    secrets_key_arn: KmsKeyArn | None = None
    """KMS key that encrypts Kubernetes secrets; one is made, with rotation, unless given."""
    logs: list[LogType] = ["audit", "authenticator"]
    """Control-plane logs sent to CloudWatch."""
    log_retention_days: Literal[7, 14, 30, 60, 90, 180, 365] = 30
    """How long CloudWatch keeps them."""
    node_overlays: bool = True
    """Whether Karpenter may use NodeOverlay, an alpha API, to learn what shared GPUs hand out. Without it, pools that need
    it must say `staticNodes`."""
    node_repair: bool = False
    """Replace nodes that the node monitoring agent calls broken, after 10 minutes for GPUs, 30 for the rest: Karpenter its own, by an alpha
    feature that asks neither disruption budgets nor `karpenter.sh/do-not-disrupt`, EKS those of managed groups."""
    deletion_protection: bool = True
    """Refuse to delete the cluster, in EKS and in Pulumi."""
    system_nodes: SystemNodes = SystemNodes()
    """The nodes that Karpenter itself runs on."""

    @property
    def release(self) -> KubernetesRelease:
        """What is pinned for the Kubernetes version."""
        return KUBERNETES[self.kubernetes_version]

    def problems(self) -> Iterator[Problem]:
        if numbers(self.karpenter_version) < numbers(self.release.oldest_karpenter):
            yield Problem(
                "todo",
                ("karpenterVersion",),
                f"Karpenter {self.karpenter_version} does not support Kubernetes {self.kubernetes_version}; "
                f"use {self.release.oldest_karpenter} or newer",
            )
        for field in ("admins", "viewers", "logs"):
            yield from repeated(getattr(self, field), field)
        for index, arn in enumerate(self.viewers):
            if arn in self.admins:
                yield Problem("todo", ("viewers", index), f"{arn!r} is already an admin; remove it here")
        if not is_inside(self.service_cidr) or not 12 <= IPv4Network(self.service_cidr).prefixlen <= 24:
            yield Problem("todo", ("serviceCidr",), f"{self.service_cidr!r} must be a private block of /12 to /24")
