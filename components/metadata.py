"""Metadata of Kubernetes objects."""

from collections.abc import Mapping
from typing import Any


def name_object(name: str, namespace: str, labels: Mapping[str, str] | None = None) -> Any:
    """Return metadata without empty labels: the API server drops these, and a refresh would report a change."""
    return {"name": name, "namespace": namespace, **({"labels": dict(labels)} if labels else {})}


def name_without_waiting(name: str, namespace: str, labels: Mapping[str, str] | None = None) -> Any:
    """Return metadata with which `pulumi up` does not wait for pods, such as pods that wait for nodes or GPUs."""
    return {**name_object(name, namespace, labels), "annotations": {"pulumi.com/skipAwait": "true"}}
