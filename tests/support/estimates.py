"""Estimates of small stacks, and pools that use reserved capacity."""

from typing import Any

from gpu_blueprint.config import StackConfig
from gpu_blueprint.cost.estimate import Estimate, estimate_stack

from . import builders


def estimate_of(**overrides: Any) -> Estimate:
    """The estimate of the stack that ``builders.stack(**overrides)`` describes."""
    return estimate_stack(builders.config(**overrides))


def reservation(kind: str = "p5.48xlarge", count: int = 2, **other: Any) -> dict[str, Any]:
    """Two reserved instances with eight H100 each, unless another type or count is given."""
    return {"id": "cr-0a1b2c3d", "instanceType": kind, "zone": "us-east-1a", "instances": count, **other}


def reserved_stack(types: list[str], gpus: int, purchase: list[str], held: dict[str, Any], **other: Any) -> StackConfig:
    """A stack with one pool that uses one reservation."""
    pool = builders.pool(
        instanceTypes=types, maxGpus=gpus, purchase=purchase, reservations=[{"id": held["id"]}], **other
    )
    return builders.config(pools=[pool], reservations=[held])


def estimate_reserved(**overrides: Any) -> Estimate:
    """The estimate of a pool that uses 100 hours a month of three nodes, two of them reserved."""
    bought = ["reserved", "on-demand"]
    return estimate_stack(reserved_stack(["p5.48xlarge"], 24, bought, reservation(**overrides), expectedHours=100))
