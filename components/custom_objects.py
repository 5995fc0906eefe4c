"""Objects of kinds that the SDK has no class for. Each keeps its state when its API version moves."""

from collections.abc import Mapping
from typing import Any

import pulumi
import pulumi_kubernetes as k8s

_VERSIONS = ("v1alpha1", "v1alpha2", "v1beta1", "v1beta2", "v1", "v2")
"""API versions that a kind may have had, or may have when a team goes back to an older release."""


def make_object(
    name: str,
    api_version: str,
    kind: str,
    *,
    metadata: Mapping[str, Any],
    spec: Mapping[str, Any],
    opts: pulumi.ResourceOptions,
) -> k8s.apiextensions.CustomResource:
    """Make an object whose fields stand in ``spec``."""
    return k8s.apiextensions.CustomResource(
        name, api_version=api_version, kind=kind, metadata=metadata, spec=spec, opts=keep_state(api_version, kind, opts)
    )


def keep_state(api_version: str, kind: str, opts: pulumi.ResourceOptions) -> pulumi.ResourceOptions:
    """Return options with which an object takes over its state under every other version of its API.

    The version is a part of the resource's type, and so of its URN. Without an alias the engine would create the one
    object of the cluster again, which fails, or delete what it has just taken over. The classes of the SDK bring such
    aliases along (pulumi-kubernetes 4.34, the ``aliases`` of each class).
    """
    group, _, own = api_version.rpartition("/")
    types = [f"kubernetes:{group}/{version}:{kind}" for version in _VERSIONS if version != own]
    aliases: list[pulumi.Input[str | pulumi.Alias]] = [pulumi.Alias(type_=type_) for type_ in types]
    return pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(aliases=aliases))
