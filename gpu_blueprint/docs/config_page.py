"""The editor schema and the field reference, made from the models of the config."""

import json
from collections.abc import Iterator
from typing import Any

from ..config import StackConfig
from ..loading import PROJECT, REGION_KEY, STACK_KEY
from ..loading.source import NO_DEFAULT_PROVIDERS


def stack_schema() -> dict[str, Any]:
    """JSON schema of the stack object; the region, which the file says elsewhere, left out."""
    schema = StackConfig.model_json_schema(by_alias=True)
    del schema["properties"]["region"]
    schema["required"].remove("region")
    return schema


def file_schema() -> dict[str, Any]:
    """JSON schema of a whole stack file, for editors."""
    stack = stack_schema()
    definitions = stack.pop("$defs")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"Pulumi.<stack>.yaml of {PROJECT}",
        "type": "object",
        "additionalProperties": False,
        "required": ["config"],
        "properties": {
            "config": {
                "type": "object",
                "additionalProperties": False,
                "required": [REGION_KEY, NO_DEFAULT_PROVIDERS, STACK_KEY],
                "properties": {
                    REGION_KEY: {"type": "string", "description": "AWS region of the environment."},
                    NO_DEFAULT_PROVIDERS: {"const": ["*"]},
                    STACK_KEY: stack,
                },
                "patternProperties": {
                    f"^{PROJECT}:(?!stack$)": {
                        "type": "object",
                        "required": ["secure"],
                        "properties": {"secure": {"type": "string"}},
                    },
                    "^(aws|pulumi):": {},
                },
            },
            **{key: {"type": "string"} for key in ("secretsprovider", "encryptedkey", "encryptionsalt")},
            "environment": {},
        },
        "$defs": definitions,
    }


def config_page() -> str:
    """The field reference."""
    schema = stack_schema()
    lines = [
        "# What a stack file may say",
        "",
        f'`stacks/Pulumi.<env>.yaml` holds `{REGION_KEY}`, `{NO_DEFAULT_PROVIDERS}: ["*"]` and one object `{STACK_KEY}` with the fields',
        "below. Unknown fields are refused. Generated from the code: `make docs`.",
        "",
        *_section("The stack object", schema, schema["$defs"], 2),
    ]
    for name, definition in schema["$defs"].items():
        if "properties" in definition:
            lines += _section(name, definition, schema["$defs"], 2)
    return "\n".join(lines).rstrip() + "\n"


def _section(title: str, model: dict[str, Any], definitions: dict[str, Any], level: int) -> Iterator[str]:
    yield f"{'#' * level} {title}"
    yield ""
    yield _line(model.get("description", ""))
    yield ""
    yield "| field | type | default | meaning |"
    yield "|---|---|---|---|"
    for name, field in model["properties"].items():
        default = "**required**" if name in model.get("required", ()) else _default(field)
        yield f"| `{name}` | {_type(field, definitions)} | {default} | {_line(field.get('description', ''))} |"
    yield ""


def _default(field: dict[str, Any]) -> str:
    value = field.get("default")
    return "–" if value in (None, {}, []) or isinstance(value, dict) else f"`{json.dumps(value)}`"


def _type(field: dict[str, Any], definitions: dict[str, Any]) -> str:
    if "$ref" in field:
        name = field["$ref"].rsplit("/", 1)[-1]
        return f"[{name}](#{name.lower()})"
    for union in ("anyOf", "oneOf"):
        if union in field:
            return " or ".join(_type(option, definitions) for option in field[union] if option.get("type") != "null")
    if "const" in field:
        return f"`{field['const']}`"
    if "enum" in field:
        return ", ".join(f"`{value}`" for value in field["enum"])
    if field.get("type") == "array":
        return f"list of {_type(field['items'], definitions)}"
    if field.get("type") == "object":
        below = field.get("additionalProperties")
        return f"mapping to {_type(below, definitions)}" if isinstance(below, dict) and below else "mapping"
    bounds = [f"{sign} {field[key]}" for key, sign in (("minimum", "≥"), ("maximum", "≤")) if key in field]
    return " ".join([str(field.get("type", "any")), *bounds])


def _line(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
