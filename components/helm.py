"""Helm releases, made in one way."""

from collections.abc import Mapping, Sequence
from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from gpu_blueprint.catalog.versions import Chart


def chart_release(
    name: str,
    chart: Chart,
    namespace: str,
    values: Mapping[str, Any],
    *,
    parent: pulumi.Resource,
    depends_on: Sequence[pulumi.Resource],
    shared: bool = False,
) -> k8s.helm.v3.Release:
    """Install a pinned chart with its hooks; its own CRDs are left to whoever owns them.

    What is ``shared`` with others may be there already, and stays when it is taken out.
    """
    return k8s.helm.v3.Release(
        name,
        name=chart.name,
        chart=chart.reference,
        version=chart.version,
        repository_opts={"repo": chart.repository} if chart.repository else None,
        namespace=namespace,
        values=dict(values),
        skip_crds=chart.crds_apart,
        cleanup_on_fail=True,
        timeout=900,
        # The GPU Operator installs objects of kinds that its own hooks define.
        disable_openapi_validation=True,
        take_ownership=shared or None,
        opts=pulumi.ResourceOptions(parent=parent, depends_on=list(depends_on), retain_on_delete=shared or None),
    )


def overlaid(values: Mapping[str, Any], overrides: Mapping[str, Any]) -> dict[str, Any]:
    """Lay overrides over values as Helm does: mappings merge, everything else is replaced."""
    merged = dict(values)
    for key, value in overrides.items():
        below = merged.get(key)
        merged[key] = overlaid(below, value) if isinstance(below, dict) and isinstance(value, dict) else value
    return merged
