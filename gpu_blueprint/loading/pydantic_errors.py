"""What pydantic found, said to the person who wrote the file."""

import re
from difflib import get_close_matches
from typing import Any, get_args

from pydantic_core import ErrorDetails

from ..config.monitoring import SECRET_KEYS
from ..errors import Path, Problem, near
from ..model import Model

RAW = "\0"
"""Stands for the scalar as the file writes it, which YAML may have turned into a number."""

_WANTED = {
    "string_type": "text",
    "int_type": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "list_type": "a list",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
}
_BOUNDS = {
    "greater_than_equal": "{}: write {ge:.15g} or more",
    "less_than_equal": "{}: write {le:.15g} or less",
    "string_too_short": "empty; write a value, or leave the field out",
    "too_short": "too few: it needs {min_length} or more",
    "too_long": "too many: it takes {max_length} or fewer",
}
"""What pydantic calls a value out of bounds → what would be right."""


def problem_of(details: ErrorDetails, root: type[Model], data: Any) -> Problem:
    """Turn one finding about ``data``, read as ``root``, into a problem with the path that stands in the file."""
    path = _without_tags(details["loc"], data)
    message = _message(details, path, root, data)
    of_key = details["loc"][-1:] == ("[key]",)
    return Problem("todo", path, message.replace(RAW, str(details["input"])) if of_key else message)


def _without_tags(loc: Path, data: Any) -> Path:
    """Drop the names of union members that pydantic puts into a location."""
    path: list[str | int] = []
    for index, part in enumerate(loc):
        if isinstance(data, dict) and part not in data and part in _tags(data) and index + 1 < len(loc):
            continue
        if part == "[key]" and index + 1 == len(loc):  # a wrong key of a mapping
            break
        path.append(part)
        data = _item(data, part)
    return tuple(path)


def _tags(data: dict[Any, Any]) -> tuple[Any, ...]:
    return data.get("mode"), data.get("access"), data.get("signal")


def _item(data: Any, part: str | int) -> Any:
    if isinstance(data, dict):
        return data.get(part)
    return data[part] if isinstance(data, list) and isinstance(part, int) and part < len(data) else None


def _message(details: ErrorDetails, path: Path, root: type[Model], data: Any) -> str:
    kind, value, context = details["type"], details["input"], details.get("ctx", {})
    said = f"{details['msg'][0].lower()}{details['msg'][1:]}"
    match kind:
        case "value_error":
            return str(context["error"])
        case "missing":
            return "missing; it is required"
        case "extra_forbidden":
            return _unknown(str(path[-1]), _fields_at(path[:-1], root, data))
        case "invalid_key":
            return f'the key {value!r} is no text; quote it: "{value}"'
        case "literal_error":
            return f"{value!r} is none of {context['expected']}{_meant(value, context['expected'])}"
        case "union_tag_not_found":
            discriminator = context["discriminator"].strip("'")
            return f"say {discriminator}: {' or '.join(_tags_at(path, root, discriminator))}"
        case "union_tag_invalid":
            return f"{context['discriminator'].strip(chr(39))} {context['tag']!r} is none of {context['expected_tags']}"
    if kind in _WANTED:
        return _wrong_type(kind, value, _fields_at(path, root, data))
    return _BOUNDS[kind].format(_shown(value), **context) if kind in _BOUNDS else f"{_shown(value)}: {said}"


def _unknown(name: str, known: list[str]) -> str:
    if name in SECRET_KEYS:
        return f"a secret, which has no place in a file: take it out, and `pulumi config set --secret {name}`"
    return f"unknown field {near(name, known)}"


def _wrong_type(kind: str, value: Any, names: list[str]) -> str:
    if value is None:
        return f"empty; it needs {_WANTED[kind]}"
    if kind == "string_type" and not isinstance(value, list | dict):
        what = (
            "true or false"
            if isinstance(value, bool)
            else "the number"
            if isinstance(value, int | float)
            else "the date"
        )
        return f'got {what if isinstance(value, bool) else f"{what} {RAW}"}; quote it: "{RAW}"'
    fields = f" with {', '.join(dict.fromkeys(names))}" if kind.startswith("model") else ""
    if kind == "list_type" and isinstance(value, str | int):
        fields = f"; write [{value}]"
    return f"got {_shown(value)}, not {_WANTED[kind]}{fields}"


def _meant(value: Any, expected: str) -> str:
    close = get_close_matches(str(value).lower(), re.findall(r"'([^']+)'", expected), 1)
    return f" (did you mean {close[0]}?)" if close else ""


def _shown(value: Any) -> str:
    """A value short enough for one line."""
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}…"


def _tags_at(path: Path, root: type[Model], discriminator: str) -> list[str]:
    fields = [
        model.model_fields[discriminator] for model in _models_at(path, root) if discriminator in model.model_fields
    ]
    return [str(value) for field in fields for value in get_args(field.annotation)]


def _fields_at(path: Path, root: type[Model], data: Any) -> list[str]:
    """The names that a mapping at this path may use."""
    models = _models_at(path, root)
    for part in path:
        data = _item(data, part)
    tagged = [
        model
        for model in models
        if isinstance(data, dict) and any(tag in _literals(model) for tag in _tags(data) if tag)
    ]
    return [field.alias or name for model in tagged or models for name, field in model.model_fields.items()]


def _models_at(path: Path, root: type[Model]) -> list[type[Model]]:
    """The models that a value at this path may be."""
    models = [root]
    for part in path:
        annotations = [
            field.annotation
            for model in models
            for name, field in model.model_fields.items()
            if (field.alias or name) == part
        ]
        models = models_in(annotations) if annotations or isinstance(part, str) else models
    return models


def models_in(annotation: Any) -> list[type[Model]]:
    """Every model class that an annotation mentions, however deep in lists and unions."""
    if isinstance(annotation, list):
        return [model for one in annotation for model in models_in(one)]
    if isinstance(annotation, type) and issubclass(annotation, Model):
        return [annotation]
    return [model for argument in get_args(annotation) for model in models_in(argument)]


def _literals(model: type[Model]) -> tuple[Any, ...]:
    return tuple(value for field in model.model_fields.values() for value in get_args(field.annotation))
