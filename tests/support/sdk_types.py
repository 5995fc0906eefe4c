"""The input types of the installed Pulumi SDKs, and the check of planned inputs against them."""

import enum
import importlib
import inspect
import sys
import typing
from collections.abc import Awaitable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from typing import Any, Literal, TypeVar

import pulumi
from pulumi import _types

from gpu_blueprint.plan import PlannedResource

NOT_YET_KNOWN = ({"$unknown"}, {"$resource"})
SCALARS: dict[type, tuple[type, ...]] = {bool: (bool,), int: (int,), float: (int, float), str: (str,)}


def find_misfits(resource: PlannedResource) -> list[str]:
    """Return the faults of a resource's inputs, one line each."""
    return list(_check_fields(dict(resource.inputs), find_input_class(resource), resource.name))


@cache
def _find_class(type_: str) -> type:
    """Return the class of a resource's inputs: ``aws:eks/addon:Addon`` → ``pulumi_aws.eks.addon.AddonArgs``."""
    sdk, module, name = type_.split(":")
    parts = module.split("/")
    folder = {"aws": parts[:1], "eks": [], "kubernetes": [parts[0].split(".")[0], *parts[1:]]}[sdk]
    resource = getattr(importlib.import_module(".".join([f"pulumi_{sdk}", *folder])), name)
    home = sys.modules[inspect.getmodule(resource).__name__]  # type: ignore[union-attr]
    found: type = getattr(home, f"{name}InitArgs", None) or getattr(home, f"{name}Args")
    return found


def find_input_class(resource: PlannedResource) -> type:
    return _find_class(resource.type)


@cache
def _fields(class_: type) -> tuple[dict[str, Any], frozenset[str]]:
    """Return the type of each field by its name in the plan, and the names of required fields."""
    names = _types.input_type_py_to_pulumi_names(class_)
    known = {**vars(sys.modules[class_.__module__]), "Output": pulumi.Output, "T": TypeVar("T")}
    hints = {name: typing.get_type_hints(getattr(class_, field).fget, known)["return"] for field, name in names.items()}
    parameters = inspect.signature(class_).parameters.items()
    needed = frozenset(names.get(field, field) for field, given in parameters if given.default is given.empty)
    return hints, needed


def _alternatives(type_: Any) -> list[Any]:
    """Return the plain types that an ``Input`` allows."""
    if typing.get_origin(type_) is typing.Union:
        return [found for argument in typing.get_args(type_) for found in _alternatives(argument)]
    origin = typing.get_origin(type_) or type_
    skip = origin in (type(None), Awaitable) or (isinstance(origin, type) and issubclass(origin, pulumi.Output))
    return [] if skip else [type_]


def _check_fields(value: Mapping[str, Any], class_: type, place: str) -> Iterator[str]:
    fields, required = _fields(class_)
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
    alternatives = _alternatives(type_)
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
