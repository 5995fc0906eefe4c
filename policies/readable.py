"""Rule about the other rules: each rule can read the values that it judges."""

from .resources import Resource, Stack
from .rule import Report, Rule, Settings


def _refuse_unreadable_values(resource: Resource, report: Report, _: Settings, stack: Stack) -> None:
    for message, rules in stack.unreadable.get(resource.urn, {}).items():
        report(f"{', '.join(dict.fromkeys(rules))} cannot judge {resource.name}: {message}")


RULES = (
    Rule(
        id="values-readable",
        kinds=("*",),
        check=_refuse_unreadable_values,
        looks_at="values that the other rules could not read",
        passes="every rule could read the values that it judges",
        fails="a value has a form that a rule cannot read, such as a text in place of a block",
        why="a rule that cannot read a value cannot find the fault in it",
        fix="write the value in the form that the message names, which is the form of the provider's schema",
    ),
)
"""The rule comes last, because it reports the values that earlier rules recorded in the stack."""
