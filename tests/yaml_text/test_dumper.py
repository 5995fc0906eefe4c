"""YAML that the product writes: no reader takes a text for a number, a switch, a date or nothing."""

import re
from typing import Any

import pytest
import yaml

from gpu_blueprint.yaml_text.dumper import ONE_LINE, write_as_author, write_yaml

from ..support.plans import ROOT
from ..support.yaml_words import is_text_for_kubectl, list_words

WORDS = [*list_words()]
ALIKE = [
    "0x",
    "1e",
    "08:00",
    "1.2.3",
    "10.0.0.0",
    "10.0.0.0/16",
    "100m",
    "1Gi",
    "1,000",
    "v1.36",
    "-x",
    "+x",
    "nULL",
    "Nan",
    "inf",
    "a-1",
    "us-east-1a",
    "1g.10gb",
]
WRITERS = ("gpu_blueprint/yaml_text/dumper.py", "gpu_blueprint/yaml_text/flow.py")


def read_core_schema(scalar: str) -> Any:
    """Read a plain scalar as YAML 1.2 does: by the resolution of its core schema, which is a table of expressions."""
    if re.fullmatch(r"null|Null|NULL|~|", scalar):
        return None
    if re.fullmatch(r"true|True|TRUE|false|False|FALSE", scalar):
        return True
    number = r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+|[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?"
    return 1 if re.fullmatch(rf"{number}|[-+]?\.(inf|Inf|INF)|\.nan|\.NaN|\.NAN", scalar) else scalar


def _load(text: str) -> Any:
    return yaml.load(text, Loader=yaml.CSafeLoader)


def list_plain_scalars(text: str) -> list[str]:
    return [
        event.value
        for event in yaml.parse(text, Loader=yaml.CSafeLoader)
        if isinstance(event, yaml.ScalarEvent) and not event.style
    ]


@pytest.mark.parametrize("form", [{}, {"flow": True, "width": ONE_LINE}])
def test_a_text_without_quotes_is_text_for_every_reader(form: dict[str, Any]) -> None:
    text = write_yaml(WORDS, **form)
    assert _load(text) == WORDS
    plain = list_plain_scalars(text)
    assert len(plain) > 1000
    assert [word for word in plain if not (is_text_for_kubectl(word) and read_core_schema(word) == word)] == []


def test_a_key_without_quotes_is_text_for_every_reader() -> None:
    text = write_yaml({word: {"inside": 1} for word in WORDS})
    assert [*_load(text)] == [*dict.fromkeys(WORDS)]
    assert [word for word in list_plain_scalars(text) if word != "1" and not is_text_for_kubectl(word)] == []


def test_texts_that_an_author_shows_are_text_for_every_reader() -> None:
    text = write_as_author(WORDS)
    assert _load(text) == WORDS
    assert [word for word in list_plain_scalars(text) if not is_text_for_kubectl(word)] == []


def test_a_text_that_all_readers_take_for_text_has_no_quotes() -> None:
    assert write_yaml(ALIKE) == "".join(f"- {word}\n" for word in ALIKE)


def test_other_types_and_the_order_of_keys_stay() -> None:
    value = {"b": [1, 1.5, 1e-5, True, None], "a": {"text": "1\n2\n", "empty": [{}, []]}}
    assert write_yaml(value).startswith("b:\n- 1\n- 1.5\n- 1.0e-05\n- true\n- null\na:\n  text: |\n    1\n    2\n")
    assert _load(write_yaml(value)) == value
    assert [*_load(write_yaml(value, sort_keys=True))] == ["a", "b"]


def test_no_other_file_of_the_product_writes_yaml() -> None:
    folders = ("gpu_blueprint", "components", "policies", "lab", "tools")
    found = [
        str(file.relative_to(ROOT))
        for folder in folders
        for file in sorted((ROOT / folder).rglob("*.py"))
        if re.search(r"yaml\.(safe_|\w*_)?dump|SafeDumper|yaml\.emit|yaml\.serialize", file.read_text())
    ]
    assert found == [*WRITERS]
