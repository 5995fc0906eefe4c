"""The strictness of admission for tenants, and the images that their pods may run."""

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from ..errors import Problem
from ..model import Model
from .network import refuse_repeated
from .shapes import Shape

ImagePrefix = Annotated[
    str,
    Shape(
        # The first part of an image name is a registry only if it holds a dot or a port.
        r"([a-z0-9-]+(\.[a-z0-9-]+)+(:[0-9]{1,5})?|[a-z0-9-]+:[0-9]{1,5}|localhost)(/[a-z0-9]+([._-]+[a-z0-9]+)*)*/?",
        "not-an-image-prefix",
        "a registry with an optional path",
        "write it without scheme, tag and wildcard, such as docker.io/nvidia or "
        "111122223333.dkr.ecr.us-east-1.amazonaws.com/team",
        longest=255,
        in_editor=False,
    ),
]


class Tenancy(Model):
    """The strictness of admission in the namespaces of tenants."""

    enforcement: Literal["deny", "warn"] = "deny"
    """`deny` refuses what breaks a rule of docs/tenancy.md; `warn` lets it pass with a warning and an audit entry, for
    a platform that had tenants before it had the rules."""


class Images(Model):
    """The images that containers of tenants may run."""

    allowed: list[ImagePrefix] = Field(min_length=1, max_length=100)
    """Registries, with an optional path. An image must lie below one of them, or be one of them: `docker.io/nvidia`
    allows `nvidia/cuda:12.9.1-base`, and `docker.io` all of Docker Hub, where `nginx` lies too. Sidecars that another
    program adds to pods count as well."""

    def problems(self) -> Iterator[Problem]:
        yield from refuse_repeated(self.allowed, "allowed")
