"""The parts of a stack object that can be checked although other parts are wrong, so that no mistake hides another."""

from collections.abc import Iterable, Iterator
from copy import deepcopy
from dataclasses import replace
from typing import Any

from pydantic import TypeAdapter

from ..config.billing import Billing
from ..config.buying import Reservation
from ..config.cluster import Cluster
from ..config.network import Network
from ..config.pools import Pool
from ..config.services import Service
from ..config.tenants import Tenant
from ..errors import Path, Problem, move_under
from ..model import Model
from .field_names import find_value
from .pydantic_errors import SECRET_IN_STACK, UNKNOWN_FIELD

_LISTS = ("pools", "tenants", "reservations", "services")
_ROLE = "arn:aws:iam::000000000000:role/x"
_NO_ACCOUNT = "0" * 12
_STAND_INS: dict[str, Any] = {
    "owner": "x",
    "environment": "x",
    "costCenter": "x",
    "accountId": _NO_ACCOUNT,
    "monthlyBudget": 1e9,
    "monitoring": {"mode": "install"},
}
"""Top-level fields → harmless values that replace wrong values."""
_LEAVES: dict[str, Any] = {
    "cpu": "1",
    "memory": "1Gi",
    "members": [_ROLE],
    "admins": [_ROLE],
    "viewers": [],
    "logs": [],
}
"""Fields inside a part that no other field depends on → harmless values."""
_PARTS: dict[str, TypeAdapter[Any]] = {
    "network": TypeAdapter(Network),
    "cluster": TypeAdapter(Cluster),
    "pools": TypeAdapter(Pool),
    "reservations": TypeAdapter(Reservation),
    "tenants": TypeAdapter(Tenant),
    "services": TypeAdapter(Service),
    "billing": TypeAdapter(Billing),
}


class Remainder:
    """A stack object without its broken parts: broken items are dropped, other broken values replaced or dropped."""

    def __init__(self, data: dict[str, Any], broken: Iterable[Problem]) -> None:
        data, broken = deepcopy(data), list(broken)
        heads = {problem.path[:2] for problem in broken if not _mend(data, problem)}
        self._holders = {problem.path[:-1] for problem in broken}
        self._positions: dict[str, list[int]] = {}
        self._dropped: set[Any] = {_NO_ACCOUNT}
        self.data = {key: self._drop_items(key, value, heads) for key, value in data.items()}
        for name in {head[0] for head in heads if head and head[0] not in _LISTS}:
            if name in _STAND_INS:
                self.data[name] = _STAND_INS[name]
            elif name == "region":
                self.data[name] = _guess_region(data)
            elif name not in ("network", "cluster"):
                self.data.pop(str(name), None)

    def _drop_items(self, key: str, value: Any, heads: set[Path]) -> Any:
        if key not in _LISTS or not isinstance(value, list):
            return value
        self._positions[key] = [index for index in range(len(value)) if (key, index) not in heads]
        dropped = [item for index, item in enumerate(value) if (key, index) in heads]
        self._dropped |= {item.get("name", item.get("id")) for item in dropped if isinstance(item, dict)}
        self._dropped |= {key} if dropped else set()
        return [value[index] for index in self._positions[key]]

    def restore_positions(self, problems: Iterable[Problem]) -> Iterator[Problem]:
        """Yield problems of the remainder with the positions of the whole stack object."""
        for problem in problems:
            head, *rest = problem.path
            if head in self._positions and rest:
                position = self._positions[str(head)][int(rest[0])]
                problem = replace(problem, path=(head, position, *rest[1:]))
            yield problem

    def supports(self, problem: Problem) -> bool:
        """Return whether a problem holds for the whole object: it must not depend on a dropped or replaced part."""
        return self._dropped.isdisjoint(problem.names) and problem.path not in self._holders


def _mend(data: dict[str, Any], problem: Problem) -> bool:
    """Remove or replace a wrong field if no other field depends on it; return whether that was possible."""
    *above, last = problem.path or ("",)
    holder: Any = data
    for part in above:
        holder = find_value(holder, part)
    if not above or not isinstance(holder, dict):
        return False
    if problem.kind in (UNKNOWN_FIELD, SECRET_IN_STACK) and last in holder:
        del holder[last]
        return True
    if last in _LEAVES:
        holder[last] = _LEAVES[str(last)]
        return True
    return False


def _guess_region(data: dict[str, Any]) -> str:
    """Return the region of the first zone, to replace a wrong region."""
    zone = find_value(find_value(find_value(data, "network"), "zones"), 0)
    return str(zone)[:-1] if zone else ""


def find_problems_in_sound_parts(data: dict[str, Any], broken: Iterable[Path]) -> Iterator[Problem]:
    """Yield the problems of each well-formed part of a stack object that is too broken to be checked as a whole."""
    heads = {path[:length] for path in broken for length in (1, 2)}
    for name, adapter in _PARTS.items():
        section = data.get(name)
        items = {(name, i): item for i, item in enumerate(section)} if isinstance(section, list) else {(name,): section}
        for path, item in items.items():
            if path not in heads and isinstance(item, dict) and (len(path) == 2 or name not in _LISTS):
                part: Model = adapter.validate_python(item)
                yield from move_under(part.all_problems(), *path)
