"""Shapes, in which the rules of Karpenter's objects are written. A shape finds the faults of a value.

A rule has the name of its place and of its demand, such as ``spec.template.spec.taints[].key | pattern``; ``[]`` stands
for any item of a list and ``{}`` for any value of a map. The API server drops an unknown field without a message.
A shape refuses it.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from gpu_blueprint.records import Record, field

Tests = Mapping[str, Callable[[Any], bool]]
"""Name of a rule → its test; the CEL rules of a CRD."""


class Violation(Record):
    """A rule that a value breaks at one place."""

    place: str
    rule: str

    def __str__(self) -> str:
        return f"{self.place}: {self.rule.split(' | ')[1]}"


class Shape(Record, kw_only=True):
    """The demands on a value."""

    tests: Tests = field(default_factory=dict)

    def violations(self, value: Any, place: str = "") -> Iterator[Violation]:
        """Yield each rule that a value breaks, here and below. The tests run only on well-formed values."""
        if not self.fits(value):
            yield broken(place, "type")
            return
        found = [broken(place, name) for name, keeps in self.own_rules().items() if not keeps(value)]
        found += self.below(value, place)
        yield from found or (broken(place, name) for name, keeps in self.tests.items() if not keeps(value))

    def rules(self, place: str = "") -> Iterator[str]:
        """Yield the name of every rule, here and below."""
        yield from (f"{place} | {name}" for name in ("type", *self.own_rules(), *self.tests))
        yield from self.rules_below(place)

    def fits(self, value: Any) -> bool:
        """Return whether a value has the right type."""
        raise NotImplementedError

    def own_rules(self) -> Tests:
        """Return the rules at this place, apart from type and tests."""
        return {}

    def below(self, value: Any, place: str) -> Iterator[Violation]:
        """Yield the violations in the parts of a value."""
        return iter(())

    def rules_below(self, place: str) -> Iterator[str]:
        """Yield the names of the rules for the parts of a value."""
        return iter(())


def broken(place: str, rule: str) -> Violation:
    """Return the violation of a rule at a place."""
    general = re.sub(r"\{[^}]*\}", "{}", re.sub(r"\[\d+\]", "[]", place))
    return Violation(place, f"{general} | {rule}")


class Text(Shape, kw_only=True):
    """A string; ``pattern`` must match all of it."""

    pattern: str = ""
    choices: tuple[str, ...] = ()
    shortest: int = 0
    longest: int = 0

    def fits(self, value: Any) -> bool:
        return isinstance(value, str)

    def own_rules(self) -> Tests:
        known: dict[str, Callable[[str], bool]] = {
            "pattern": lambda text: bool(re.fullmatch(self.pattern, text, re.ASCII)),
            "enum": lambda text: text in self.choices,
            "minLength": lambda text: len(text) >= self.shortest,
            "maxLength": lambda text: len(text) <= self.longest,
        }
        asked = (self.pattern, self.choices, self.shortest, self.longest)
        return {name: known[name] for name, ask in zip(known, asked, strict=True) if ask}


class Number(Shape, kw_only=True):
    """A whole number."""

    least: int | None = None
    most: int | None = None

    def fits(self, value: Any) -> bool:
        return isinstance(value, int) and not isinstance(value, bool)

    def own_rules(self) -> Tests:
        known: dict[str, Callable[[int], bool]] = {}
        if self.least is not None:
            known["minimum"] = lambda number: number >= int(self.least or 0)
        if self.most is not None:
            known["maximum"] = lambda number: number <= int(self.most or 0)
        return known


class Flag(Shape):
    """True or false."""

    def fits(self, value: Any) -> bool:
        return isinstance(value, bool)


class Quantity(Shape):
    """A Kubernetes quantity: a whole number, or text such as ``10Gi``."""

    def fits(self, value: Any) -> bool:
        return isinstance(value, int | str) and not isinstance(value, bool)

    def own_rules(self) -> Tests:
        number = r"([0-9]+(\.[0-9]*)?|\.[0-9]+)"
        form = re.compile(rf"[+-]?{number}([KMGTPE]i|[numkMGTPE]|[eE][+-]?{number})?", re.ASCII)
        return {"pattern": lambda value: not isinstance(value, str) or bool(form.fullmatch(value))}


class Free(Shape):
    """A mapping with any content."""

    def fits(self, value: Any) -> bool:
        return isinstance(value, dict)


class Items(Shape, kw_only=True):
    """A list."""

    of: Shape
    least: int = 0
    most: int = 0
    distinct: bool = False

    def fits(self, value: Any) -> bool:
        return isinstance(value, list)

    def own_rules(self) -> Tests:
        known: dict[str, Callable[[list[Any]], bool]] = {
            "minItems": lambda items: len(items) >= self.least,
            "maxItems": lambda items: len(items) <= self.most,
            "unique": lambda items: not any(item in items[:index] for index, item in enumerate(items)),
        }
        asked = (self.least, self.most, self.distinct)
        return {name: known[name] for name, ask in zip(known, asked, strict=True) if ask}

    def below(self, value: Any, place: str) -> Iterator[Violation]:
        for index, item in enumerate(value):
            yield from self.of.violations(item, f"{place}[{index}]")

    def rules_below(self, place: str) -> Iterator[str]:
        return self.of.rules(f"{place}[]")


class Map(Shape, kw_only=True):
    """A mapping with free keys."""

    of: Shape
    most: int = 0

    def fits(self, value: Any) -> bool:
        return isinstance(value, dict)

    def own_rules(self) -> Tests:
        return {"maxProperties": lambda found: len(found) <= self.most} if self.most else {}

    def below(self, value: Any, place: str) -> Iterator[Violation]:
        for key, item in value.items():
            yield from self.of.violations(item, f"{place}{{{key}}}")

    def rules_below(self, place: str) -> Iterator[str]:
        return self.of.rules(f"{place}{{}}")


class Fields(Shape, kw_only=True):
    """A mapping with known fields only."""

    fields: Mapping[str, Shape]
    required: tuple[str, ...] = ()

    def fits(self, value: Any) -> bool:
        return isinstance(value, dict)

    def own_rules(self) -> Tests:
        needed = {f"required {name}": _has(name) for name in self.required}
        return {"unknown": lambda found: set(found) <= set(self.fields), **needed}

    def below(self, value: Any, place: str) -> Iterator[Violation]:
        for name, shape in self.fields.items():
            if name in value:
                yield from shape.violations(value[name], f"{place}.{name}".lstrip("."))

    def rules_below(self, place: str) -> Iterator[str]:
        for name, shape in self.fields.items():
            yield from shape.rules(f"{place}.{name}".lstrip("."))


def _has(name: str) -> Callable[[Any], bool]:
    return lambda found: name in found
