"""Exceptions to policy rules, as a stack file states them."""

from datetime import date
from typing import Annotated

from pydantic import BeforeValidator, Field

from ..model import Model
from .aws_names import TagValue
from .scalars import day


class Waiver(Model):
    """One policy rule does not count for one resource for a while."""

    rule: Annotated[str, Field(min_length=1)]
    """Id of the rule, such as `spot-diverse`."""
    resource: Annotated[str, Field(min_length=1)]
    """Name of the resource, as the preview shows it, such as `infer-l4-node-pool`."""
    reason: Annotated[str, Field(min_length=10)]
    """Why it is right here."""
    owner: TagValue
    """Who answers for it."""
    until: Annotated[date, BeforeValidator(day)]
    """Last day on which it counts; after that it fails."""
