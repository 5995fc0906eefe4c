"""Metadata of objects with pods."""

from collections.abc import Mapping
from typing import Any


def name_without_waiting(name: str, namespace: str, labels: Mapping[str, str] | None = None) -> Any:
    """Return metadata with which `pulumi up` does not wait for pods, such as pods that wait for nodes or GPUs."""
    metadata = {"name": name, "namespace": namespace, "annotations": {"pulumi.com/skipAwait": "true"}}
    return {**metadata, **({"labels": dict(labels)} if labels else {})}
