"""Read resources that are a single permission in the form of a statement of an IAM document."""

from collections.abc import Mapping
from typing import Any

from ..resources import Resource
from ..values import UNKNOWN, read_mapping

PERMISSION_KINDS = ("Permission", "LayerVersionPermission", "EventPermission")
"""Kinds of resources that let one principal use a function, a layer or an event bus."""
_LIMITS: Mapping[str, tuple[str, str]] = {
    "sourceArn": ("ArnLike", "aws:SourceArn"),
    "sourceAccount": ("StringEquals", "aws:SourceAccount"),
    "principalOrgId": ("StringEquals", "aws:PrincipalOrgID"),
    "organizationId": ("StringEquals", "aws:PrincipalOrgID"),
}
"""Field of a permission → the condition that AWS makes of it."""


def list_permissions(resource: Resource) -> list[Mapping[str, Any]]:
    """Return the fields of the statement that AWS makes of a permission, named in lower case.

    Permissions of resource shares have no principal and make no statement.

    Raises:
        NotYetKnownError: The form of the condition is not known yet.
        UnreadableError: The condition has a form that no provider reads.
    """
    props = resource.props
    if props.get("principal") is None:
        return []
    limits = {field: props[field] for field in _LIMITS if props.get(field) is not None}
    given = {
        "effect": "Allow",
        "principal": {"AWS": props["principal"]},
        "action": props.get("action"),
        "condition": _read_condition(props.get("condition"), limits),
    }
    return [given]


def _read_condition(given: Any, limits: Mapping[str, Any]) -> Any:
    """Return the conditions of a permission; a permission on an event bus has one block with key, type and value."""
    if given is UNKNOWN:
        return UNKNOWN
    block = read_mapping(given, "condition")
    own = {str(block["type"]): {str(block["key"]): block.get("value")}} if {"type", "key"} <= set(block) else {}
    found: dict[str, dict[str, Any]] = {**own}
    for field, value in limits.items():
        operator, key = _LIMITS[field]
        found[operator] = {**found.get(operator, {}), key: value}
    return found
