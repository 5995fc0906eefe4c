"""Inputs of AWS resources whose change makes the provider replace the resource."""

from functools import cache
from pathlib import Path

import yaml

from ..errors import LabError

FILE = Path(__file__).with_suffix(".yaml")


def list_replacing_properties(type_: str) -> frozenset[str]:
    """Return the inputs of a Pulumi type as dotted paths, such as ``vpcConfig.subnetIds``.

    Raises:
        LabError: The table does not know the type.
    """
    table = _read_table()
    if type_ not in table:
        raise LabError(f"{FILE.name} does not know {type_}; add the inputs whose change replaces the resource")
    return table[type_]


@cache
def _read_table() -> dict[str, frozenset[str]]:
    table = yaml.safe_load(FILE.read_text(encoding="utf-8"))
    return {type_: frozenset(paths) for type_, paths in table.items()}
