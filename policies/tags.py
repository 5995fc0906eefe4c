"""Rule for tags, which name the owner and the cost centre of a resource."""

from typing import Any

from .resources import Resource
from .rule import Report, Rule, Settings


def _refuse_missing_tags(resource: Resource, report: Report, settings: Settings) -> None:
    missing = list_missing_tags(resource, settings)
    if missing:
        report(f"{resource.name} has no tag {', '.join(missing)}")


def list_missing_tags(resource: Resource, settings: Settings) -> list[str]:
    """Return the required tags that neither the resource nor its provider sets."""
    if resource.kind == "EC2NodeClass":
        tags = resource.get("spec", "tags", default={})
    elif resource.type.startswith("aws:") and resource.kind in TAGGED:
        tags = resource.get("tags", default={})
    else:
        return []
    return [tag for tag in settings["required"] if not tags.get(tag) and not resource.default_tags.get(tag)]


def _add_tags(resource: Resource, settings: Settings) -> dict[str, Any] | None:
    """Add the missing tags for which the environment sets a value."""
    added = {tag: settings["values"][tag] for tag in list_missing_tags(resource, settings) if tag in settings["values"]}
    if not added:
        return None
    if resource.kind == "EC2NodeClass":
        spec = resource.get("spec")
        return {**resource.props, "spec": {**spec, "tags": {**spec.get("tags", {}), **added}}}
    return {**resource.props, "tags": {**(resource.props.get("tags") or {}), **added}}


TAGGED = (
    "Vpc",
    "Subnet",
    "NatGateway",
    "Eip",
    "VpcEndpoint",
    "SecurityGroup",
    "Cluster",
    "NodeGroup",
    "Addon",
    "LogGroup",
    "Key",
    "Role",
    "Queue",
    "LaunchTemplate",
)
"""Kinds of AWS resources that take tags and that cost money or hold rights."""

RULES = (
    Rule(
        id="required-tags",
        kinds=("EC2NodeClass", *TAGGED),
        check=_refuse_missing_tags,
        settings={"required": ["owner", "environment", "cost-center"], "values": {}},
        remediate=_add_tags,
        looks_at="tags of AWS resources and of Karpenter's nodes, including the default tags of the provider",
        passes="every required tag has a value",
        fails="a required tag is missing or empty",
        why="nobody can tell who pays for the resource",
        fix="set the tag on the provider (defaultTags) or on the resource",
    ),
)
