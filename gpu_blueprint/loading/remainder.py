"""The parts of a stack object that can still be judged when others are wrong, so that one mistake hides no other."""

from collections.abc import Iterable, Iterator
from copy import deepcopy
from typing import Any

from pydantic import TypeAdapter

from ..config.billing import Billing
from ..config.buying import Reservation
from ..config.cluster import Cluster
from ..config.network import Network
from ..config.pools import Pool
from ..config.services import Service
from ..config.tenants import Tenant
from ..errors import Path, Problem, under
from ..model import Model

_LISTS = ("pools", "tenants", "reservations", "services")
_ROLE = "arn:aws:iam::000000000000:role/x"
_NOBODY = "0" * 12
_STAND_INS: dict[str, Any] = {
    "owner": "x",
    "environment": "x",
    "costCenter": "x",
    "accountId": _NOBODY,
    "monthlyBudget": 1e9,
    "monitoring": {"mode": "install"},
}
_LEAVES: dict[str, Any] = {
    "cpu": "1",
    "memory": "1Gi",
    "members": [_ROLE],
    "admins": [_ROLE],
    "viewers": [],
    "logs": [],
}
"""Fields inside a part on which nothing else depends."""
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
    """A stack object without its broken parts: items of lists dropped, names and options replaced by harmless ones."""

    def __init__(self, data: dict[str, Any], broken: Iterable[Problem]) -> None:
        data, broken = deepcopy(data), list(broken)
        heads = {problem.path[:2] for problem in broken if not _mended(data, problem)}
        self._holders = {problem.path[:-1] for problem in broken}
        self._kept: dict[str, list[int]] = {}
        self._dropped: set[Any] = {_NOBODY}
        self.data = {key: self._items(key, value, heads) for key, value in data.items()}
        for name in {head[0] for head in heads if head and head[0] not in _LISTS}:
            if name in _STAND_INS:
                self.data[name] = _STAND_INS[name]
            elif name == "region":
                self.data[name] = _region_of(data)
            elif name not in ("network", "cluster"):
                self.data.pop(str(name), None)

    def _items(self, key: str, value: Any, heads: set[Path]) -> Any:
        if key not in _LISTS or not isinstance(value, list):
            return value
        self._kept[key] = [index for index in range(len(value)) if (key, index) not in heads]
        dropped = (item for index, item in enumerate(value) if index not in self._kept[key])
        self._dropped |= {item.get("name", item.get("id")) for item in dropped if isinstance(item, dict)}
        return [value[index] for index in self._kept[key]]

    def placed(self, problems: Iterable[Problem]) -> Iterator[Problem]:
        """Give problems the positions of the whole."""
        for problem in problems:
            head, *rest = problem.path
            if head in self._kept and rest:
                problem = Problem("todo", (head, self._kept[str(head)][int(rest[0])], *rest[1:]), problem.message)
            yield problem

    def speaks_of(self, problem: Problem) -> bool:
        """Whether a problem is about what stands in the file, and not about what was dropped or taken away."""
        dropped = any(f"'{name}'" in problem.message for name in self._dropped if name)
        return not dropped and problem.path[-1] not in self._dropped and problem.path not in self._holders


def _mended(data: dict[str, Any], problem: Problem) -> bool:
    """Take a wrong leaf out of the way if nothing else depends on it: a field that does not exist, or a known one."""
    *above, last = problem.path or ("",)
    holder: Any = data
    for part in above:
        holder = (
            holder.get(part) if isinstance(holder, dict) else holder[int(part)] if isinstance(holder, list) else None
        )
    if not above or not isinstance(holder, dict):
        return False
    if problem.message.startswith("unknown field") and last in holder:
        del holder[last]
        return True
    if last in _LEAVES:
        holder[last] = _LEAVES[str(last)]
        return True
    return False


def _region_of(data: dict[str, Any]) -> str:
    """The region that the zones are of, where the file's own is wrong."""
    zones = (data.get("network") or {}).get("zones") if isinstance(data.get("network"), dict) else None
    return str(zones[0])[:-1] if isinstance(zones, list) and zones else ""


def sound_parts(data: dict[str, Any], broken: Iterable[Path]) -> Iterator[Problem]:
    """Look further at each part that is well-formed, where the whole cannot be judged."""
    heads = {path[:length] for path in broken for length in (1, 2)}
    for name, adapter in _PARTS.items():
        section = data.get(name)
        items = {(name, i): item for i, item in enumerate(section)} if isinstance(section, list) else {(name,): section}
        for path, item in items.items():
            if path not in heads and isinstance(item, dict) and (len(path) == 2 or name not in _LISTS):
                part: Model = adapter.validate_python(item)
                yield from under(part.all_problems(), *path)
