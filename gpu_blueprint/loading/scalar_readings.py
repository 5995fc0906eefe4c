"""Plain scalars that YAML 1.1, YAML 1.2 or the reader of Pulumi's CLI interpret differently.

This program reads YAML 1.1, as PyYAML does. Pulumi's CLI reads the same file with gopkg.in/yaml.v3, which mixes YAML
1.1 and 1.2, and passes the values on as JSON. A scalar without quotes counts only if all readings are the same.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import yaml

from ..errors import Path, Problem
from .document import EXPONENT, list_children
from .field_names import ScalarType

UNREADABLE_NUMBER = "unreadable-number"
"""Kind of a number that Pulumi cannot hold; the rule of the field, if it has one, explains the number better."""
_LARGEST = 2**53
"""The largest whole number that every reader of JSON holds exactly."""
_LONGEST, _MOST_SHOWN = 1000, 60
_NUMERIC = r"[-+.0-9][-+.:0-9_a-fA-FxXoOtTzZinIN \t]*"
_SUSPECT = re.compile(rf"{_NUMERIC}|[yYnN]|yes|no|on|off|true|false|null|~|<<|=|", re.IGNORECASE)
"""Every plain scalar that a reader may not read as text."""
_DATE = re.compile(r"\d{4}-\d\d?-\d\d?([Tt \t]+\d.*)?")
_INT_1_2 = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT_1_2 = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
_PREFIXED = re.compile(r"([-+]?)0([bBoOxX]?)([0-9a-fA-F]+)")
_SWITCHES = {
    spelling: word in ("y", "yes", "on", "true")
    for word in ("y", "yes", "on", "true", "n", "no", "off", "false")
    for spelling in (word, word.capitalize(), word.upper())
}
_OTHERS = {"timestamp": "a date", "merge": "a merge of another mapping", "value": "a default value"}
_RESOLVER = yaml.resolver.Resolver()
_CONSTRUCTOR = yaml.constructor.SafeConstructor()


@dataclass(frozen=True, slots=True)
class _Reading:
    """A value as one reader sees it; ``sort`` keeps the number 1 and the switch true apart."""

    sort: str
    value: Any = None

    def __str__(self) -> str:
        return f"the number {self.written}" if self.sort == "number" else self.written or self.sort

    @property
    def written(self) -> str:
        """The value in a form that all readers read alike; empty for text."""
        if self.sort == "number":
            return f"{Decimal(repr(self.value)).normalize():f}"
        return str(self.value).lower() if self.sort == "switch" else ""


_NULL, _TEXT = _Reading("nothing"), _Reading("text")


def _read_1_1(text: str) -> _Reading:
    """Read a plain scalar as PyYAML does; the text of YAML 1.1 calls y and n switches too."""
    if text in _SWITCHES:
        return _Reading("switch", _SWITCHES[text])
    if _DATE.fullmatch(text):
        return _Reading("a date")
    tag = _RESOLVER.resolve(yaml.ScalarNode, text, (True, False))  # type: ignore[no-untyped-call]
    kind = tag.rpartition(":")[2]
    if kind in ("int", "float"):
        return _Reading("number", _CONSTRUCTOR.construct_object(yaml.ScalarNode(tag, text)))
    return _NULL if kind == "null" else _Reading(_OTHERS.get(kind, "text"))


def _read_1_2(text: str) -> _Reading:
    """Read a plain scalar by the core schema of YAML 1.2."""
    if text in ("", "~", "null", "Null", "NULL"):
        return _NULL
    if text in ("true", "True", "TRUE", "false", "False", "FALSE"):
        return _Reading("switch", text.lower() == "true")
    if _INT_1_2.fullmatch(text):
        return _Reading("number", int(text, {"0o": 8, "0x": 16}.get(text[:2], 10)))
    return _Reading("number", float(text)) if _FLOAT_1_2.fullmatch(text) else _TEXT


def _read_as_pulumi(text: str) -> _Reading:
    """Read a plain scalar as gopkg.in/yaml.v3 does (``resolve`` in its resolve.go, version 3.0.1)."""
    if not re.match(r"[-+.0-9]", text):
        return _read_1_2(text)
    if _DATE.fullmatch(text):
        return _Reading("a date")
    digits = text if text.startswith(".") else text.replace("_", "")
    if whole := _PREFIXED.fullmatch(digits):
        try:
            return _Reading("number", int(whole[1] + whole[3], {"b": 2, "x": 16}.get(whole[2].lower(), 8)))
        except ValueError:  # such as 08, which is the decimal number 8
            pass
    value = float(digits) if _FLOAT_1_2.fullmatch(digits) else None
    return _TEXT if value is None or value in (float("inf"), float("-inf")) else _Reading("number", value)


def _explain_excess(text: str) -> tuple[str, str] | None:
    """Return reason and hint if Pulumi cannot hold a number."""
    if len(text) > _LONGEST:
        return f"a number of {len(text)} characters is larger than Pulumi can read", "quote it if it is text"
    hint = f'write a smaller number, or "{text}" for the text'
    if _NOT_FINITE.fullmatch(text):
        return f"{text} is not a finite number, and Pulumi cannot read it", hint
    if any(reading.sort == "number" and abs(reading.value) > _LARGEST for reading in _read_all(text).values()):
        return f"{text} is larger than the numbers that Pulumi reads exactly", hint
    return None


def _explain_difference(text: str, wanted: ScalarType | None) -> tuple[str, str] | None:
    """Return reason and hint if the readings of a plain scalar differ; the remedies are of the wanted type."""
    readers: dict[_Reading, list[str]] = {}
    for reader, reading in _read_all(text).items():
        readers.setdefault(reading, []).append(reader)
    if len(readers) == 1:
        return None
    told = ", ".join(f"{reading} for {' and '.join(names)}" for reading, names in readers.items())
    values = [] if wanted == "text" else [reading.written for reading in readers if reading.written]
    is_number = wanted in ("number", "fraction") and any(reading.sort == "number" for reading in readers)
    choices = " or ".join(values if is_number else [*values, f'"{text}"'])
    hint = "write the fields of the other mapping out" if text == "<<" else f"write {choices}"
    return f"{text} without quotes is {told}", hint


def _read_all(text: str) -> dict[str, _Reading]:
    return {"YAML 1.1": _read_1_1(text), "YAML 1.2": _read_1_2(text), "Pulumi": _read_as_pulumi(text)}


def reads_as_text(text: str) -> bool:
    """Return whether every reader of YAML reads a text without quotes as text."""
    is_number = len(text) > _LONGEST or _NOT_FINITE.fullmatch(text)
    return not _SUSPECT.fullmatch(text) or (not is_number and set(_read_all(text).values()) == {_TEXT})


def refuse_ambiguous_scalars(
    root: Any, find_type: Callable[[Path], ScalarType | None] = lambda _: None
) -> Iterator[Problem]:
    """Refuse scalars without quotes that YAML readers, such as Pulumi's, interpret differently: yes, 0123, 1e3, dates.

    Keys must be text to all readers. ``find_type`` tells the type of the field at a path: a fraction is a number that
    need not be whole, where 8e9 can mean nothing else.
    """
    seen: set[int] = set()  # an alias leads to the same node again
    waiting: list[tuple[Path, Any]] = [((), root)]
    while waiting:
        path, node = waiting.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, yaml.ScalarNode):
            wanted = find_type(path)
            if not (EXPONENT.fullmatch(node.value) and wanted == "fraction"):
                yield from _refuse_scalar(node, path, wanted, is_key=False)
        elif isinstance(node, yaml.MappingNode):
            for key, _ in node.value:
                if isinstance(key, yaml.ScalarNode):
                    yield from _refuse_scalar(key, (*path, key.value), "text", is_key=True)
        waiting += [((*path, part), child) for part, child in list_children(node)]


def _refuse_scalar(node: yaml.ScalarNode, path: Path, wanted: ScalarType | None, *, is_key: bool) -> Iterator[Problem]:
    text, line = node.value, node.start_mark.line + 1
    if node.style or not _SUSPECT.fullmatch(text):  # the style of a plain scalar is "" in libyaml's parser
        return
    shown = text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…"
    if excess := _explain_excess(text):
        reason, hint = (part.replace(text, shown) for part in excess)
        yield Problem(UNREADABLE_NUMBER, path, reason, hint, line=line)
    elif difference := _explain_difference(text, wanted):
        reason, hint = (part.replace(text, shown) for part in difference)
        yield Problem("ambiguous-scalar", path, reason, hint, line=line)
    elif is_key and (reading := _read_1_2(text)) != _TEXT:
        reason = f"the key {text or 'before the colon'} is {reading}, not text"
        yield Problem("unquoted-text", path, reason, f'quote it: "{text}"', line=line)
