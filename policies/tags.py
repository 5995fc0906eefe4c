"""Tags: who owns it, who pays."""

from typing import Any

from .rule import Report, Resource, Rule, Settings


def _required(resource: Resource, report: Report, settings: Settings) -> None:
    missing = missing_tags(resource, settings)
    if missing:
        report(f"{resource.name} has no tag {', '.join(missing)}")


def missing_tags(resource: Resource, settings: Settings) -> list[str]:
    """The required tags that neither the resource nor its provider sets."""
    if resource.kind == "EC2NodeClass":
        tags = resource.get("spec", "tags", default={})
    elif resource.type.startswith("aws:") and resource.kind in TAGGED:
        tags = resource.get("tags", default={})
    else:
        return []
    return [tag for tag in settings["required"] if not tags.get(tag) and not resource.default_tags.get(tag)]


def _add(resource: Resource, settings: Settings) -> dict[str, Any] | None:
    """Add the missing tags for which the environment names a value."""
    added = {tag: settings["values"][tag] for tag in missing_tags(resource, settings) if tag in settings["values"]}
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
"""AWS resources that cost money or hold rights, and take tags."""

RULES = (
    Rule(
        id="required-tags", kinds=("EC2NodeClass", *TAGGED), check=_required,
        settings={"required": ["owner", "environment", "cost-center"], "values": {}}, remediate=_add,
        looks_at="tags of AWS resources and of Karpenter's nodes, the provider's default tags included", passes="the required ones are there",
        fails="one is missing", why="nobody knows whose bill it is", fix="set it on the provider (defaultTags) or on the resource",
    ),
)  # fmt: skip
