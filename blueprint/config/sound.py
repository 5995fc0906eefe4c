"""The parts of a stack object that can still be judged when others are wrong, so that one mistake hides no other."""

from collections.abc import Iterable, Iterator
from typing import Any

from pydantic import TypeAdapter

from ..errors import Path, Problem, under
from ..model import Model
from .buying import Reservation
from .cluster import Cluster
from .network import Network
from .pools import Pool
from .tenants import Tenant

_LISTS = ("pools", "tenants", "reservations")
_STAND_INS = {"owner": "x", "environment": "x", "costCenter": "x", "accountId": "0" * 12, "region": "us-east-1"}
_PARTS: dict[str, TypeAdapter[Any]] = {
    "network": TypeAdapter(Network),
    "cluster": TypeAdapter(Cluster),
    "pools": TypeAdapter(Pool),
    "reservations": TypeAdapter(Reservation),
    "tenants": TypeAdapter(Tenant),
}


class Remainder:
    """A stack object without its broken parts: items of lists dropped, names and options replaced by harmless ones."""

    def __init__(self, data: dict[str, Any], broken: Iterable[Path]) -> None:
        heads = {path[:2] for path in broken}
        self._kept: dict[str, list[int]] = {}
        self._dropped: set[Any] = set()
        self.data = {key: self._items(key, value, heads) for key, value in data.items()}
        for name in {head[0] for head in heads if head[0] not in _LISTS}:
            if name in _STAND_INS:
                self.data[name] = _STAND_INS[name]
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
        """Give problems the positions of the whole, and leave out those about what was dropped or stood in."""
        for problem in problems:
            head, *rest = problem.path
            if head in self._kept and rest:
                problem = Problem((head, self._kept[str(head)][int(rest[0])], *rest[1:]), problem.message)
            if not self._about_dropped(problem):
                yield problem

    def _about_dropped(self, problem: Problem) -> bool:
        return (
            any(f"'{name}'" in problem.message for name in self._dropped if name) or problem.path[-1] in self._dropped
        )


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
