"""A reader of PromQL that sees which series an expression speaks of."""

import re
from collections.abc import Iterator

WORDS = {"and", "or", "unless", "bool", "sum", "min", "max", "avg", "count"}
TOKEN = re.compile(
    r"""(?:by|on|group_left|ignoring|without)\ \([^)]*\)  # lists of labels
    | offset\ \w+ | \[[^]]*\] | "[^"]*"                   # times and texts
    | \w+\ ?\(                                            # functions
    | (?P<name>[a-zA-Z_][\w:]*)(?P<matchers>\{[^}]*\})?""",
    re.VERBOSE,
)


def metrics_in(expr: str) -> Iterator[tuple[str, str]]:
    """Name and matchers of every series in an expression."""
    for found in TOKEN.finditer(expr):
        if found["name"] and found["name"] not in WORDS:
            yield found["name"], found["matchers"] or ""


def labels_in(matchers: str) -> set[str]:
    """The labels that matchers speak of."""
    return set(re.findall(r'(\w+)(?:=~|!~|!=|=)"', matchers))
