"""The strictness of admission for tenants, and the images that their pods may run."""

from typing import Annotated, Literal

from pydantic import Field

from ..model import Model
from .shapes import Shape

ImagePrefix = Annotated[
    str,
    Shape(
        r"[a-z0-9][a-z0-9.-]*(:[0-9]+)?(/[a-z0-9._-]+)*/?",
        "not-an-image-prefix",
        "the beginning of an image name",
        "write a registry with an optional path, such as 111122223333.dkr.ecr.us-east-1.amazonaws.com/team",
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
    """Registries, with an optional path. An image must lie below one of them, or be one of them."""
