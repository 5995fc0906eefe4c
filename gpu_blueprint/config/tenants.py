"""Tenants: teams with a namespace, a share of the GPUs and people who may use them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field, PlainValidator, WithJsonSchema

from ..catalog import namespaces
from ..errors import Problem
from ..model import Model
from .aws_names import PrincipalArn
from .network import repeated
from .scalars import Cpu, Memory, Name

RESERVED_NAMESPACES = (namespaces.DEFAULT, namespaces.GPU_OPERATOR)
SHARED = "shared"
"""In the tag `tenant` of nodes: several tenants have a quota in their pool."""


def _grant(value: Any) -> int | dict[str, int]:
    counts = list(value.values()) if isinstance(value, dict) else [value]
    if not counts or not all(type(count) is int and 0 <= count <= 1_000_000 for count in counts):
        raise ValueError(f"{value!r} is neither a count nor counts by MIG profile, such as 8 or {{1g.10gb: 4}}")
    return value  # type: ignore[no-any-return]


GpuAmount = Annotated[
    int | dict[str, int],
    PlainValidator(_grant),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "integer", "minimum": 0},
                {"type": "object", "additionalProperties": {"type": "integer", "minimum": 0}, "minProperties": 1},
            ]
        }
    ),
]
"""A count of what a pool hands out, such as 8; by MIG profile where the pool hands out several, such as {1g.10gb: 4}."""


class Tenant(Model):
    """One team: a namespace with quotas and access."""

    name: Name
    """Name of the team."""
    namespace: Name | None = None
    """Its namespace; the tenant's name unless given."""
    gpus: dict[str, GpuAmount] = {}
    """Quota by pool, counted in what the pool hands out: whole GPUs, shares or MIG instances. A pool that one tenant
    may use has its name as tag `tenant`, one of several `shared`: to change that replaces the pool's nodes."""
    cpu: Cpu
    """Quota of CPU requests, quoted, such as `"64"`."""
    memory: Memory
    """Quota of memory requests, such as `512Gi`."""
    members: list[PrincipalArn] = Field(min_length=1)
    """IAM roles or users that may work in the namespace."""

    @property
    def space(self) -> str:
        """The namespace."""
        return self.namespace or self.name

    def may_use(self, pool: str) -> bool:
        """Whether the team may use anything of a pool; a quota of 0 is none."""
        grant = self.gpus.get(pool, 0)
        return any(grant.values()) if isinstance(grant, dict) else grant > 0

    def problems(self) -> Iterator[Problem]:
        yield from repeated(self.members, "members")
        if self.name == SHARED:
            yield Problem("todo", ("name",), f"{SHARED!r} tags the nodes that several tenants use; choose another name")
        if self.space in RESERVED_NAMESPACES or self.space.startswith("kube-"):
            field = "namespace" if self.namespace else "name"
            yield Problem("todo", (field,), f"{self.space!r} is a system namespace; choose another")


@dataclass(frozen=True, slots=True)
class Grant:
    """A tenant's quota in one pool."""

    tenant: str
    pool: str
    count: GpuAmount
