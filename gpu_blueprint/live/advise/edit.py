"""The stack file with proposals carried out: its text is changed where they say and stays as it was elsewhere."""

import io
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import yaml
from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.scalarstring import DoubleQuotedScalarString

from ...config import StackConfig
from ...errors import StackError
from ...loading import Source, parse
from ...loading.source import IN_FILE
from .proposal import AddPool, Change, Proposal, Set

_KEYS = {"pools": "name", "tenants": "name", "reservations": "id"}
"""List of the stack object → the field that names its entries."""
_COMMENT = re.compile(r"(?:^|\s)#.*", re.MULTILINE)
"""ruamel.yaml loses a comment now and then, as one before an entry in braces that has another behind it."""
_ANY_WIDTH = 1_000_000
"""No line is broken that was not."""


@dataclass(frozen=True, slots=True)
class Edited:
    """The text of the changed file, and which proposals are not in it, with what `check` would have said."""

    text: str
    config: StackConfig
    left_out: tuple[tuple[Proposal, str], ...]


def edited(source: Source, proposals: Iterable[Proposal]) -> Edited:
    """Carry out one proposal after another, leaving out those after which the file would be refused.

    What makes room goes first, so that the bounds of the stack hold for what needs some.
    """
    text, config, left_out = source.text, parse(source.stack, source.region), []
    if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text, Loader=yaml.CSafeLoader)):
        why = (
            "the file has aliases (*), and to change what an anchor names would change more than this; edit it by hand"
        )
        return Edited(text, config, tuple((one, why) for one in proposals if one.changes))
    for one in sorted(proposals, key=lambda one: (one.moves, one.kind == "quota")):
        if not one.changes:
            continue
        tried = _changed(text, one.changes)
        if lost := Counter(_COMMENT.findall(text)) - Counter(_COMMENT.findall(tried)):
            left_out.append((one, f"a comment would be lost ({next(iter(lost)).strip()}); edit it by hand"))
            continue
        try:
            config, text = _read(tried, source.file), tried
        except StackError as error:
            left_out.append((one, "; ".join(map(str, error.problems))))
    return Edited(text, config, tuple(left_out))


def _read(text: str, file: str) -> StackConfig:
    """What ``check`` would make of a file."""
    source = Source(text, file)
    if found := [*source.problems(), *source.findings()]:
        raise StackError(found)
    return parse(source.stack, source.region)


def _yaml(text: str) -> YAML:
    """A reader and writer that keeps comments, order, quotes, brackets and how far a file indents."""
    made = YAML()
    made.preserve_quotes = True
    made.width = _ANY_WIDTH
    made.explicit_start = text.startswith("---")
    made.brace_single_entry_mapping_in_flow_sequence = True
    mapping, dash, entry = _columns(text)
    made.indent(mapping=mapping, sequence=entry, offset=dash)
    return made


def _columns(text: str) -> tuple[int, int, int]:
    """How far a file indents: what is in a mapping, the dash of a list, and what follows the dash."""
    source = Source(text, "")
    _, config = _pair(source.root, IN_FILE[0])
    key, stack = _pair(config, IN_FILE[1])
    name, pools = _pair(stack, "pools")
    dash = pools.start_mark.column - name.start_mark.column
    entry = pools.value[0].start_mark.column - name.start_mark.column
    if pools.flow_style:
        return name.start_mark.column - key.start_mark.column, 2, 4
    return name.start_mark.column - key.start_mark.column, dash, entry


def _pair(mapping: Any, key: str) -> tuple[Any, Any]:
    """Key and value of a mapping as they stand in the text."""
    return next((name, value) for name, value in mapping.value if name.value == key)


def _changed(text: str, changes: Iterable[Change]) -> str:
    document = _yaml(text).load(text)
    stack = document
    for key in IN_FILE:
        stack = stack[key]
    for change in changes:
        if isinstance(change, Set):
            _set(stack, change)
        else:
            _add_pool(stack, change)
    written = io.StringIO()
    _yaml(text).dump(document, written)
    return written.getvalue()


def _set(stack: CommentedMap, change: Set) -> None:
    collection, name, *between, last = change.path
    inside = _entry(stack[collection], _KEYS[collection], name)
    for key in between:
        inside = inside[key]
    if change.value is None:
        del inside[last]
    else:
        inside[last] = _flow(change.value)


def _entry(entries: CommentedSeq, key: str, name: str) -> CommentedMap:
    found: CommentedMap = next(entry for entry in entries if entry[key] == name)
    return found


def _add_pool(stack: CommentedMap, change: AddPool) -> None:
    pools: CommentedSeq = stack["pools"]
    old = _entry(pools, "name", change.like)
    index = pools.index(old)
    new = CommentedMap({key: _flow(value) for key, value in _fields(old, change).items() if value is not None})
    pools.insert(index + 1, new)
    _move_comment(old, new)
    text = f"Remove {change.like} once nothing runs on it: {change.name} takes its place."
    pools.yaml_set_comment_before_after_key(index, text, pools.lc.col)
    for tenant, grant in change.grants.items():
        _entry(stack["tenants"], "name", tenant)["gpus"][change.name] = _flow(grant)


def _fields(old: CommentedMap, change: AddPool) -> dict[str, Any]:
    """The new pool's fields in the order of the old one's; a model stands where instance types stood."""
    by_model = change.fields.get("gpu") is not None
    said = {"gpu" if key == "instanceTypes" and by_model else key: value for key, value in _plain(old).items()}
    return {**said, "name": change.name, **change.fields}


def _move_comment(old: CommentedMap, new: CommentedMap) -> None:
    """Give a comment that stands before what follows the old pool to the end of the new one, which stands there now."""
    inside, last, place = _end(old)
    tokens = inside.ca.items.get(last)
    if not tokens or tokens[place] is None:
        return
    token = tokens[place]
    own, line, rest = token.value.partition("\n")
    if rest.strip():
        new.ca.items[next(reversed(new))] = [None, None, type(token)("\n" + rest, token.start_mark, None), None]
        token.value = own + line


def _end(node: Any) -> tuple[Any, Any, int]:
    """The innermost block at the end of a node, its last entry, and where ruamel.yaml keeps what stands behind that."""
    last = len(node) - 1 if isinstance(node, CommentedSeq) else next(reversed(node))
    value = node[last]
    if isinstance(value, CommentedMap | CommentedSeq) and value and not value.fa.flow_style():
        return _end(value)
    return node, last, 0 if isinstance(node, CommentedSeq) else 2


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list) else value


def _flow(value: Any) -> Any:
    """A value as it is written on one line; texts that a reader of YAML would take for something else get quotes."""
    if isinstance(value, Mapping):
        made = CommentedMap({key: _flow(item) for key, item in value.items()})
        made.fa.set_flow_style()
        return made
    if isinstance(value, list | tuple):
        items = CommentedSeq([_flow(item) for item in value])
        items.fa.set_flow_style()
        return items
    if type(value) is str and yaml.load(value, Loader=yaml.CSafeLoader) != value:
        return DoubleQuotedScalarString(value)
    return value
