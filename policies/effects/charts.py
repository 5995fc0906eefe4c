"""Recognise Helm charts by name."""

from ..resources import Resource

CHART_KINDS = ("Release", "Chart")
"""Kinds of Helm charts: a Release is installed by Helm, a Chart is rendered by Pulumi."""


def is_chart(resource: Resource, name: str) -> bool:
    """Tell whether a Helm chart has a name; its repository or registry does not matter."""
    return str(resource.get("chart", default="")).rsplit("/", 1)[-1] == name
