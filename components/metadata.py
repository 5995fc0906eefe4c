"""Metadata of Kubernetes objects."""

from collections.abc import Mapping
from typing import Any


def build_metadata(name: str, namespace: str, labels: Mapping[str, str] | None = None) -> Any:
    """Return metadata without empty labels: the API server drops these, and a refresh would report a change."""
    return {"name": name, "namespace": namespace, **({"labels": dict(labels)} if labels else {})}


def build_metadata_without_await(name: str, namespace: str, labels: Mapping[str, str] | None = None) -> Any:
    """Return metadata with which `pulumi up` does not wait for pods, such as pods that wait for nodes or GPUs."""
    return {**build_metadata(name, namespace, labels), "annotations": {"pulumi.com/skipAwait": "true"}}
