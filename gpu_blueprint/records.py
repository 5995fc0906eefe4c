"""Record: the type of every value with named fields.

Each command defines hundreds of records, and Python defines a record in a fiftieth of the time of a dataclass.
"""

from typing import TYPE_CHECKING, Any, dataclass_transform

import msgspec
from msgspec import field

if TYPE_CHECKING:
    from dataclasses import replace  # so mypy compares the arguments of a call with the fields of the record
else:
    from msgspec.structs import replace

__all__ = ["Record", "asdict", "field", "replace"]


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class Record(msgspec.Struct, frozen=True):
    """A value that never changes, and equals every record of its class with the same fields.

    In ``class Grant(Record, kw_only=True):`` callers name each field. With ``order=True`` records compare as tuples,
    and with ``dict=True`` a class can have cached properties.
    """


def asdict(record: Record) -> dict[str, Any]:
    """Return name → value of each field; records at any depth become dicts too."""
    return {name: _convert_records(getattr(record, name)) for name in record.__struct_fields__}


def _convert_records(value: Any) -> Any:
    if isinstance(value, Record):
        return asdict(value)
    if isinstance(value, list | tuple):
        converted = map(_convert_records, value)
        return [*converted] if isinstance(value, list) else (*converted,)
    return {key: _convert_records(item) for key, item in value.items()} if isinstance(value, dict) else value
