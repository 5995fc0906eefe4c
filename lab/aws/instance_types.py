"""The instance types that the lab's region shows: those of the catalogue, described by moto.

EC2 has fourteen hundred types. moto needs seconds for all of them, and Karpenter cannot launch a type without a price.
"""

from collections.abc import Mapping
from typing import Any

from moto.ec2.models.instance_types import INSTANCE_TYPES

from gpu_blueprint.catalog import list_instances

from ..scene import Scene
from .wire import Params

Parameters = Mapping[str, str]
"""Flat parameters of an EC2 query, to be added to a request."""


class InstanceTypes:
    """Narrows the questions that moto answers about instance types."""

    def __init__(self, scene: Scene) -> None:
        rows = list_instances().values()
        self._names = [row.instance_type for row in rows if scene.region in row.regions]

    def narrow_types(self, params: Params) -> Parameters:
        """Return the parameters that limit DescribeInstanceTypes; none if the caller names types."""
        if "InstanceType" in params:
            return {}
        known = [name for name in self._names if name in INSTANCE_TYPES]
        return {f"InstanceType.{number}": name for number, name in enumerate(known, 1)}

    def narrow_offerings(self, params: Params) -> Parameters:
        """Return one more filter for DescribeInstanceTypeOfferings; none if the caller filters by type."""
        filters: list[dict[str, Any]] = params.get("Filter", [])
        if any(entry["Name"] == "instance-type" for entry in filters):
            return {}
        key = f"Filter.{len(filters) + 1}"
        values = {f"{key}.Value.{number}": name for number, name in enumerate(self._names, 1)}
        return {f"{key}.Name": "instance-type", **values}
