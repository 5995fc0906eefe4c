"""References between the resources of a plan: by id if the id is known, else by dependencies."""

from collections.abc import Iterator
from typing import Any

from ..resources import Resource, Stack
from ..values import UNKNOWN, NotYetKnownError, read_text


def refers_to(stack: Stack, source: Resource, value: Any, target: Resource, *kinds: str) -> bool:
    """Tell whether a value of one resource certainly names another resource.

    An unknown id names the only resource of these kinds that the source depends on. With two such resources, the answer
    is False for both.

    Raises:
        NotYetKnownError: The value is not known yet, and the source depends on no resource of these kinds.
    """
    if value is not UNKNOWN:
        return is_id_of(value, target)
    needed = list(list_needed(stack, source, *(kinds or (target.kind,))))
    if not needed:
        raise NotYetKnownError("an id")
    return needed == [target]


def is_id_of(value: Any, target: Resource) -> bool:
    """Tell whether a known value is the id of a resource, or the name of the resource in its place."""
    identity = target.props.get("id")
    text = read_text(value, "an id")
    return text in (target.name, *([] if identity is UNKNOWN else [identity]))


def list_needed(stack: Stack, source: Resource, *kinds: str) -> Iterator[Resource]:
    """Yield the resources of these kinds that a resource depends on."""
    for urn in source.dependencies:
        needed = stack.by_urn.get(urn)
        if needed and needed.kind in kinds:
            yield needed
