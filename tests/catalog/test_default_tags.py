"""The default tags of a provider reach each AWS type that has all of its tags as an output."""

import sys

from gpu_blueprint.catalog.default_tags import UNTAGGED
from gpu_blueprint.catalog.replacing_properties import FILE
from gpu_blueprint.catalog.table import read_rows
from tools.sdk_inputs import find_input_class


def _has_all_tags(type_: str) -> bool:
    module = sys.modules[find_input_class(type_).__module__]
    return hasattr(getattr(module, type_.rsplit(":", 1)[-1]), "tags_all")


def test_the_types_without_default_tags_are_those_of_the_installed_sdk() -> None:
    types = {row["type"] for row in read_rows(FILE)}
    assert {type_ for type_ in types if not _has_all_tags(type_)} == UNTAGGED
