"""``diff``: in what do two environments differ?"""

import argparse
from typing import Any

import yaml
from rich.table import Table

from ..config import StackConfig
from ..loading import open_stack
from .text.tables import console


def run(arguments: argparse.Namespace) -> int:
    """Print a table of the fields that differ."""
    one, other = (fields(open_stack(stack, bounded=False).config) for stack in (arguments.stack, arguments.other))
    differing = [path for path in dict.fromkeys([*one, *other]) if one.get(path) != other.get(path)]
    table = Table(box=None, pad_edge=False, expand=True)
    table.add_column("field", header_style="underline", no_wrap=True)
    for stack in (arguments.stack, arguments.other):
        table.add_column(stack, header_style="underline", overflow="fold")
    for path in sorted(differing, key=_section):
        table.add_row(path, one.get(path, "–"), other.get(path, "–"))
    out = console()
    if differing:
        out.print(table)
    out.print(
        f"{len(differing)} field{'s differ' if len(differing) != 1 else ' differs'}, {len(one.keys() & other.keys()) - sum(p in one and p in other for p in differing)} are the same."
    )
    return 0


def _section(path: str) -> int:
    order = list(StackConfig.model_fields)
    return order.index(
        next(name for name, field in StackConfig.model_fields.items() if (field.alias or name) == path.split(".")[0])
    )


def fields(config: StackConfig) -> dict[str, str]:
    """Field path → value; pools and tenants by name, so that their order does not matter."""
    flat: dict[str, str] = {}
    _flatten(config.model_dump(by_alias=True, exclude_none=True), "", flat)
    return flat


def _flatten(value: Any, path: str, flat: dict[str, str]) -> None:
    if isinstance(value, dict) and value:
        for key, item in value.items():
            _flatten(item, f"{path}.{key}" if path else key, flat)
    elif isinstance(value, list) and value and all(isinstance(item, dict) and "name" in item for item in value):
        for item in value:
            _flatten({key: below for key, below in item.items() if key != "name"}, f"{path}.{item['name']}", flat)
    elif value not in ({}, []):
        flat[path] = ", ".join(map(_scalar, value)) if isinstance(value, list) else _scalar(value)


def _scalar(value: Any) -> str:
    """Write a value as a stack file would."""
    text: str = yaml.safe_dump(value, default_flow_style=True, width=1000, sort_keys=False)
    return text.removesuffix("...\n").strip()
