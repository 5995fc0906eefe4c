"""Where the cluster stands: a new VPC, or one that exists."""

from collections.abc import Iterator, Sequence
from ipaddress import IPv4Network
from itertools import combinations
from typing import Annotated, Literal

from pydantic import Field

from ..errors import Problem
from ..model import Model
from .aws_names import Zone, resource_id
from .scalars import Cidr, is_inside

Endpoint = Literal["s3", "ecr", "sts", "ec2", "sqs", "eks", "eks-auth", "ssm", "logs"]
SERVICES = {"ecr": ("ecr.api", "ecr.dkr")}
"""Endpoints that stand for several of AWS's services."""
STABLE_ZONES = 2
"""How many of the first zones hold the control plane and the system nodes: EKS takes no subnets in further zones later,
and a node group is replaced when its subnets change; so appending a zone must not touch either."""
MAX_ZONES = 7


class NewVpc(Model):
    """Make a VPC: a private subnet of one eighth of it in each zone, and a small public one for NAT and load balancers."""

    mode: Literal["new"]
    """Make the VPC."""
    cidr: Cidr
    """Address block, /16 to /20. Each zone's private subnet gets an eighth: 8,187 addresses of a /16."""
    zones: list[Zone] = Field(min_length=2, max_length=MAX_ZONES)
    """Availability zones, at least two. Append new ones at the end: the order decides the addresses, and the control
    plane and the system nodes stay in the first two."""
    nat: Literal["single", "per-zone"] = "single"
    """One NAT gateway for all zones (cheap), or one in each (survives the loss of a zone, no cross-zone traffic)."""
    endpoints: list[Endpoint] = ["s3"]
    """AWS services reached without NAT. `s3` is a free gateway endpoint; the others are billed by the hour and zone."""

    @property
    def interface_endpoints(self) -> int:
        """How many endpoints are billed by the hour in each zone: all but s3, and two for ecr."""
        return sum(len(SERVICES.get(one, (one,))) for one in self.endpoints if one != "s3")

    @property
    def private_cidrs(self) -> dict[str, str]:
        """Zone → block of its private subnet."""
        blocks = IPv4Network(self.cidr).subnets(prefixlen_diff=3)
        return {zone: str(block) for zone, block in zip(self.zones, blocks, strict=False)}

    @property
    def public_cidrs(self) -> dict[str, str]:
        """Zone → block of its public subnet, all inside the last eighth."""
        last = list(IPv4Network(self.cidr).subnets(prefixlen_diff=3))[-1]
        return {zone: str(block) for zone, block in zip(self.zones, last.subnets(prefixlen_diff=3), strict=False)}

    def problems(self) -> Iterator[Problem]:
        block = IPv4Network(self.cidr)
        if not 16 <= block.prefixlen <= 20:
            yield Problem(
                "todo",
                ("cidr",),
                f"{self.cidr!r} is a /{block.prefixlen}; a new VPC needs /16 (roomy) to /20 (at least)",
            )
        if not is_inside(self.cidr):
            yield Problem(
                "todo",
                ("cidr",),
                f"{self.cidr!r} is not address space of your own; use a block of 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16 or 100.64.0.0/10",
            )
        yield from repeated(self.zones, "zones")
        yield from repeated(self.endpoints, "endpoints")


class Subnet(Model):
    """One existing private subnet."""

    id: resource_id("subnet")  # type: ignore[valid-type]
    """Subnet id."""
    zone: Zone
    """Its availability zone."""
    cidr: Cidr | None = None
    """Its address block; given, overlaps are refused."""


class ExistingVpc(Model):
    """Use a VPC whose private subnets reach the internet or the endpoints that nodes need."""

    mode: Literal["existing"]
    """Use what is there."""
    vpc_id: resource_id("vpc")  # type: ignore[valid-type]
    """VPC id."""
    subnets: list[Subnet] = Field(min_length=2, max_length=30)
    """Private subnets for the control plane and all nodes, in at least two zones."""

    @property
    def zones(self) -> list[str]:
        """The zones of the subnets, each once."""
        return list(dict.fromkeys(subnet.zone for subnet in self.subnets))

    def problems(self) -> Iterator[Problem]:
        yield from repeated([subnet.id for subnet in self.subnets], "subnets")
        if len(self.zones) < 2:
            yield Problem("todo", ("subnets",), f"all subnets are in {self.zones[0]}; EKS needs two zones at least")
        known = [(i, IPv4Network(s.cidr)) for i, s in enumerate(self.subnets) if s.cidr]
        for (i, one), (j, other) in combinations(known, 2):
            if one.overlaps(other):
                yield Problem(
                    "todo",
                    ("subnets", j, "cidr"),
                    f"'{other}' overlaps '{one}' of subnets.{i}; subnets of a VPC cannot",
                )


def repeated(values: Sequence[str], field: str) -> Iterator[Problem]:
    """Yield a problem for each value that stood before."""
    for index, value in enumerate(values):
        if value in values[:index]:
            yield Problem("todo", (field, index), f"{value!r} stands twice; remove one")


Network = Annotated[NewVpc | ExistingVpc, Field(discriminator="mode")]
