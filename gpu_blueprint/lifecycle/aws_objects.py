"""The ids and outputs that AWS gives to new objects, from the table in aws_objects.yaml."""

import hashlib
import uuid
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from ..errors import LabError
from ..records import Record, field
from .wire import Values

FILE = Path(__file__).with_suffix(".yaml")


class ObjectType(Record):
    """A type of AWS's objects: templates of the id and of the outputs."""

    id: str
    outputs: Values = field(default_factory=dict)
    held_by: tuple[str, ...] = ()
    """Fields, such as ``NodeGroup.clusterName``, of objects that must go first."""
    grows: tuple[str, ...] = ()
    """Outputs that each update raises by one."""


def find_object_type(type_: str) -> ObjectType:
    """Return the row of a Pulumi type.

    Raises:
        LabError: The table does not know the type.
    """
    table = _read_table()
    if type_ not in table:
        raise LabError(f"the stand-in for AWS does not know {type_}; add its id and outputs to {FILE.name}")
    return table[type_]


@cache
def _read_table() -> dict[str, ObjectType]:
    rows = yaml.safe_load(FILE.read_text(encoding="utf-8"))
    return {type_: _read_row(**row) for type_, row in rows.items()}


def _read_row(id: str, outputs: Values | None = None, **lists: list[str]) -> ObjectType:
    return ObjectType(id, outputs or {}, **{name: tuple(items) for name, items in lists.items()})


def name_object(type_: str, inputs: Mapping[str, Any], logical_name: str, number: int) -> str:
    """Return the given name, else the name's prefix with a number, else the name that Pulumi would make."""
    kind = type_.rsplit(":", 1)[-1]
    own = f"{kind[0].lower()}{kind[1:]}Name"
    for key in ("name", own):
        if given := inputs.get(key):
            return str(given)
        if prefix := inputs.get(f"{key}Prefix"):
            return f"{prefix}{number:08d}"
    return f"{logical_name}-{number:07x}"


def fill_object(row: ObjectType, facts: Mapping[str, Any], number: int) -> tuple[str, Values]:
    """Return the id and the outputs of a new object.

    Args:
        row: The object's type.
        facts: Its inputs without signatures, with ``account``, ``region`` and ``name``.
        number: A number that no other object has; the digits in the id follow from it.
    """
    digits = hashlib.sha256(str(number).encode()).hexdigest()
    known = {**facts, "hex": digits[:17], "uuid": str(uuid.UUID(digits[:32]))}
    id_ = row.id.format_map(known)
    outputs: Values = _fill(row.outputs, {**known, "id": id_})
    return id_, outputs


def _fill(value: Any, known: Mapping[str, Any]) -> Any:
    if isinstance(value, dict):
        return {key: _fill(item, known) for key, item in value.items()}
    if isinstance(value, list):
        return [_fill(item, known) for item in value]
    return value.format_map(known) if isinstance(value, str) else value
