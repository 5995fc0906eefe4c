"""The input types of the installed Pulumi SDKs, and the check of planned inputs against them."""

import enum
import typing
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, Literal

from pulumi import _types

from gpu_blueprint.plan import PlannedResource
from tools import sdk_inputs
from tools.sdk_inputs import list_alternatives, read_fields

NOT_YET_KNOWN = ({"$unknown"}, {"$resource"})
SCALARS: dict[type, tuple[type, ...]] = {bool: (bool,), int: (int,), float: (int, float), str: (str,)}


def find_misfits(resource: PlannedResource) -> list[str]:
    """Return the faults of a resource's inputs, one line each."""
    return list(_check_fields(dict(resource.inputs), find_input_class(resource), resource.name))


def find_input_class(resource: PlannedResource) -> type:
    return sdk_inputs.find_input_class(resource.type)


def _check_fields(value: Mapping[str, Any], class_: type, place: str) -> Iterator[str]:
    fields, required = read_fields(class_)
    for name, item in value.items():
        if name not in fields:
            yield f"{place}.{name}: no such input {get_close_matches(name, fields, 1)}"
        else:
            yield from _check_value(item, fields[name], f"{place}.{name}")
    yield from (f"{place}.{name}: required" for name in sorted(required - set(value)))


def _check_value(value: Any, type_: Any, place: str) -> Iterator[str]:
    """Yield the faults against the allowed type that fits best."""
    value = value["$secret"] if isinstance(value, dict) and set(value) == {"$secret"} else value
    if isinstance(value, dict) and set(value) in NOT_YET_KNOWN:
        return
    alternatives = list_alternatives(type_)
    if value is None or Any in alternatives:
        return
    found = [list(_check_alternative(value, alternative, place)) for alternative in alternatives]
    yield from min(found, key=len, default=[f"{place}: nothing is allowed here"])


def _check_alternative(value: Any, type_: Any, place: str) -> Iterator[str]:
    origin, arguments = typing.get_origin(type_), typing.get_args(type_)
    if isinstance(value, dict) and _types.is_input_type(type_):
        yield from _check_fields(value, type_, place)
    elif isinstance(value, dict) and origin in (dict, Mapping):
        for key, item in value.items():
            yield from _check_value(item, arguments[1], f"{place}.{key}")
    elif isinstance(value, list) and origin in (list, Sequence):
        for index, item in enumerate(value):
            yield from _check_value(item, arguments[0], f"{place}[{index}]")
    elif not _is_scalar(value, type_, origin, arguments):
        yield f"{place}: {value!r} is not {getattr(type_, '__name__', type_)}"


def _is_scalar(value: Any, type_: Any, origin: Any, arguments: tuple[Any, ...]) -> bool:
    if origin is Literal:
        return value in arguments
    if isinstance(type_, type) and issubclass(type_, enum.Enum):
        return value in [member.value for member in type_]
    return type(value) in SCALARS.get(type_, ())
