"""Faults of YAML itself: unreadable text, duplicate keys, and values that YAML readers interpret differently."""

import re
from collections.abc import Iterator
from typing import Any

import yaml

from ..errors import Path, Problem

_LOOSE_NUMBER = re.compile(r"0\d+|[\d_]+(:\d+)+|\d[\d_]*_[\d_]*")
"""Digits with a leading zero, with colons or with underscores."""
_MOST_VALUES = 200_000


VALUE_ERRORS = (ValueError, AttributeError, KeyError)
"""PyYAML raises these for a scalar that does not fit its type, such as the day 2026-02-30."""


def explain_yaml_error(error: Exception, text: str) -> Problem:
    """Return the problem of a text that is not YAML, with its line."""
    if isinstance(error, VALUE_ERRORS) and not isinstance(error, yaml.YAMLError):
        return _explain_impossible_scalar(yaml.compose(text, Loader=yaml.CSafeLoader))
    reason, hint, line = " ".join(str(error).split()), "", 1
    if isinstance(error, yaml.MarkedYAMLError):
        mark = error.problem_mark or error.context_mark
        reason, line = f"{error.problem or error.context}", mark.line + 1 if mark else 1
        hint = "look here and at the line before: indentation, brackets, colons"
        if isinstance(error, yaml.composer.ComposerError) and error.context:
            reason, hint = f"{error.context} {error.problem}", "write one document in a file"
        elif isinstance(error, yaml.constructor.ConstructorError):
            hint = "write plain keys and values, without tags (!) and merges (<<)"
        elif mark and any(row[mark.column :].startswith("\t") for row in text.split("\n")[mark.line : mark.line + 1]):
            reason, hint = "a tab", "indent with blanks"
    elif isinstance(error, yaml.reader.ReaderError):
        reason, line = (
            f"a character that is not allowed (0x{error.character:02x})",
            text[: error.position].count("\n") + 1,
        )
        hint = "remove it"
    return Problem("invalid-yaml", (), f"not valid YAML: {reason}", hint, line=line)


def _explain_impossible_scalar(root: Any) -> Problem:
    """Return the problem of the first scalar that does not fit the type which YAML sees in it."""
    node = next(node for node in _walk_scalars(root) if not _is_possible(node))
    text = node.value if len(node.value) <= 80 else f"{node.value[:77]}…"
    type_ = node.tag.rpartition(":")[2].replace("int", "number").replace("float", "number")
    reason, hint = f"{text} is not a {type_} that exists", f'quote it if it is text: "{text}", else correct it'
    return Problem("invalid-yaml", (), f"not valid YAML: {reason}", hint, line=node.start_mark.line + 1)


def _walk_scalars(node: Any) -> Iterator[yaml.ScalarNode]:
    if isinstance(node, yaml.MappingNode):
        for pair in node.value:
            for child in pair:
                yield from _walk_scalars(child)
    elif isinstance(node, yaml.SequenceNode):
        for child in node.value:
            yield from _walk_scalars(child)
    elif isinstance(node, yaml.ScalarNode):
        yield node


def _is_possible(node: yaml.ScalarNode) -> bool:
    try:
        yaml.constructor.SafeConstructor().construct_object(node)
    except VALUE_ERRORS:
        return False
    return True


def refuse_endless_aliases(value: Any) -> Iterator[Problem]:
    """Refuse a document whose aliases make it endless or huge."""
    try:
        count = _count_values(value, {})
    except RecursionError:
        reason = "the file is nested too deeply, or an alias (*) refers to the value that contains it"
        yield Problem("invalid-yaml", (), reason, "write the value out")
    else:
        if count > _MOST_VALUES:
            reason = f"aliases (*) expand the file to {count:,} values"
            yield Problem("invalid-yaml", (), reason, f"stay below {_MOST_VALUES:,}")


def _count_values(value: Any, known: dict[int, int]) -> int:
    """Count the values of a document with its aliases written out."""
    if not isinstance(value, dict | list):
        return 1
    if id(value) not in known:
        items = value.values() if isinstance(value, dict) else value
        known[id(value)] = 1 + sum(_count_values(item, known) for item in items)
    return known[id(value)]


def refuse_duplicate_keys(node: Any, path: Path = ()) -> Iterator[Problem]:
    """Refuse keys that occur twice in a mapping."""
    if isinstance(node, yaml.MappingNode):
        keys: set[str] = set()
        for key, _ in node.value:
            if key.value in keys:
                line = key.start_mark.line + 1
                reason = f"the key occurs twice (again in line {line}), and YAML silently keeps the second value"
                yield Problem("duplicate-key", (*path, key.value), reason, "remove one")
            keys.add(key.value)
    for part, child in _list_children(node):
        yield from refuse_duplicate_keys(child, (*path, part))


def refuse_ambiguous_scalars(node: Any, path: Path = ()) -> Iterator[Problem]:
    """Refuse scalars that YAML readers, such as Pulumi's, interpret differently: yes, no, 0123, 12:30, 1_000."""
    if isinstance(node, yaml.ScalarNode):
        text = node.value
        if node.tag.endswith(":bool") and text.lower() not in ("true", "false"):
            reason = f"YAML readers interpret {text!r} differently"
            hint = f'write true or false, or "{text}" for the text'
            yield Problem("ambiguous-scalar", path, reason, hint)
        elif not node.style and _LOOSE_NUMBER.fullmatch(text):  # the C parser's style of a plain scalar is ""
            reason = f"{text} is a number to some YAML readers and not to others"
            yield Problem(
                "ambiguous-scalar", path, reason, f'quote it if it is text: "{text}", else write plain digits'
            )
    for part, child in _list_children(node):
        yield from refuse_ambiguous_scalars(child, (*path, part))


def _list_children(node: Any) -> Iterator[tuple[str | int, Any]]:
    if isinstance(node, yaml.MappingNode):
        yield from ((key.value, value) for key, value in node.value)
    elif isinstance(node, yaml.SequenceNode):
        yield from enumerate(node.value)
