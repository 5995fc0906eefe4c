"""The objects of Kubernetes in a plan, as manifests."""

from collections.abc import Iterator, Sequence
from typing import Any

from .resource import PlannedResource

_HEAD = ("apiVersion", "kind", "metadata")
"""The fields that readers expect at the top of a manifest."""


def list_manifests(plan: Sequence[PlannedResource]) -> Iterator[dict[str, Any]]:
    """Yield every object that Pulumi applies by itself; the objects of Helm charts are not among them."""
    for resource in plan:
        is_object = resource.type.startswith("kubernetes:") and not resource.type.endswith(":Release")
        if is_object and resource.inputs["kind"] != "Secret":
            yield {**{key: resource.inputs[key] for key in _HEAD}, **resource.inputs}
