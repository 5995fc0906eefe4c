"""Rule for tags, which name the owner and the cost centre of a resource, and the environment of a node."""

from collections.abc import Mapping
from typing import Any

from .resources import Resource
from .rule import Report, Rule, Settings, find_wrong
from .values import UNKNOWN, read_text


def _refuse_missing_tags(resource: Resource, report: Report, settings: Settings) -> None:
    missing = list_missing_tags(resource, settings)
    if missing:
        report(f"{resource.name} has no tag {', '.join(missing)}")


def list_missing_tags(resource: Resource, settings: Settings) -> list[str]:
    """Return the required tags that neither the resource nor its provider sets.

    Karpenter drains the nodes of a node class whose tags change, and owner and cost centre change in a node's life. So
    a node class has a list of its own.
    """
    if resource.kind == "EC2NodeClass":
        tags, required = _read_tags(resource.get("spec", "tags")), settings["requiredOnNodes"]
    elif resource.type.startswith("aws:") and resource.kind in TAGGED:
        tags, required = _read_tags(resource.get("tags")), settings["required"]
    else:
        return []
    return find_wrong(required, lambda tag: not tags.get(tag) and not resource.default_tags.get(tag))


def _read_tags(value: Any) -> Mapping[str, Any]:
    """Return tags as key → value; other programs write them as a list too, with keys and values."""
    if isinstance(value, Mapping):
        return value
    pairs = [pair for pair in value if pair is UNKNOWN or isinstance(pair, Mapping)] if isinstance(value, list) else []
    return {
        read_text(pair.get("key", pair.get("Key")), "tags.key"): pair.get("value", pair.get("Value")) for pair in pairs
    }


def _add_tags(resource: Resource, settings: Settings) -> dict[str, Any] | None:
    """Add the missing tags for which the environment sets a value; never to nodes, which a new tag would replace."""
    missing = list_missing_tags(resource, settings) if resource.kind != "EC2NodeClass" else []
    added = {tag: settings["values"][tag] for tag in missing if tag in settings["values"]}
    return {**resource.props, "tags": {**_read_tags(resource.get("tags")), **added}} if added else None


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
        settings={
            "required": ["owner", "environment", "cost-center"],
            "requiredOnNodes": ["environment"],
            "values": {},
        },
        remediate=_add_tags,
        looks_at="tags of AWS resources, including the default tags of the provider, and tags of Karpenter's nodes",
        passes="every required tag has a value; nodes need only tags that never change, since a new value drains them",
        fails="a required tag is missing or empty",
        why="nobody can tell who pays for the resource",
        fix="set the tag on the provider (defaultTags) or on the resource; a node class needs only environment",
    ),
)
