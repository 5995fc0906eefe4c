"""What pydantic found, said to the person who wrote the file."""

from typing import Any, get_args

from pydantic_core import ErrorDetails

from ..errors import Path, Problem, near
from ..model import Model

RAW = "\0"
"""Stands for the scalar as the file writes it, which YAML may have turned into a number."""

_WANTED = {
    "string_type": "text",
    "int_type": "a whole number",
    "bool_type": "true or false",
    "list_type": "a list",
    "dict_type": "a mapping",
}


def problem_of(details: ErrorDetails, root: type[Model], data: Any) -> Problem:
    """Turn one finding about ``data``, read as ``root``, into a problem with the path that stands in the file."""
    path = _without_tags(details["loc"], data)
    return Problem(path, _message(details, path, root, data))


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
    return data.get("mode"), data.get("access")


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
            return f"unknown field {near(str(path[-1]), _fields_at(path[:-1], root, data), 'known')}"
        case "string_type" if isinstance(value, int | float) and not isinstance(value, bool):
            return f'got the number {RAW}; quote it: "{RAW}"'
        case "model_type" | "model_attributes_type":
            return f"got {value!r}, not a mapping"
        case "literal_error":
            return f"{value!r} is none of {context['expected']}"
        case "union_tag_not_found":
            return f"say {context['discriminator'].strip(chr(39))}: which kind it is"
        case "union_tag_invalid":
            return f"{context['discriminator'].strip(chr(39))} {context['tag']!r} is none of {context['expected_tags']}"
        case "too_short" | "too_long":
            return said.replace(" after validation", "")
    return f"got {value!r}, not {_WANTED[kind]}" if kind in _WANTED else f"{value!r}: {said}"


def _fields_at(path: Path, root: type[Model], data: Any) -> list[str]:
    """The names that a mapping at this path may use."""
    models = [root]
    for part in path:
        annotations = [
            field.annotation
            for model in models
            for name, field in model.model_fields.items()
            if (field.alias or name) == part
        ]
        models = models_in(annotations) if annotations or isinstance(part, str) else models
        data = _item(data, part)
    fitting = [
        model
        for model in models
        if isinstance(data, dict) and any(tag in _literals(model) for tag in _tags(data) if tag)
    ]
    return [field.alias or name for model in fitting or models for name, field in model.model_fields.items()]


def models_in(annotation: Any) -> list[type[Model]]:
    """Every model class that an annotation mentions, however deep in lists and unions."""
    if isinstance(annotation, list):
        return [model for one in annotation for model in models_in(one)]
    if isinstance(annotation, type) and issubclass(annotation, Model):
        return [annotation]
    return [model for argument in get_args(annotation) for model in models_in(argument)]


def _literals(model: type[Model]) -> tuple[Any, ...]:
    return tuple(value for field in model.model_fields.values() for value in get_args(field.annotation))
