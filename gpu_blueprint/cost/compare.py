"""What changes between two estimates: two stacks, or a stack and what was rendered before."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any

from ..errors import UsageError


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One line of two estimates, as ``(expected a month, at most an hour)``; None where it is missing or not known."""

    name: str
    before: tuple[float | None, float | None]
    after: tuple[float | None, float | None]

    def difference(self, index: int) -> float | None:
        """Dollars more than before; a line that is missing on one side counts as nothing there."""
        one, other = self.before[index], self.after[index]
        return None if one is None or other is None else round(other - one, 2)


def read_estimate(path: Path) -> dict[str, Any]:
    """The estimate in a file that ``cost --json``, ``preview --json`` or ``render`` wrote.

    Raises:
        UsageError: There is none in it.
    """
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise UsageError(f"{path}: is no JSON: {error}") from None
    try:
        found = document.get("cost", document)
        dict(_lines(found))
        if not isinstance(found["stack"], str):
            raise TypeError("stack is no name")
    except (AttributeError, KeyError, TypeError):
        text = "holds no cost estimate; give what `cost --json`, `preview --json` or `render` wrote"
        raise UsageError(f"{path}: {text}") from None
    return found  # type: ignore[no-any-return]


def compare(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Change]:
    """Each line of two estimates side by side: platform, pools, total."""
    one, other = dict(_lines(before)), dict(_lines(after))
    names = list(dict.fromkeys([*other, *one]))
    names.sort(key=lambda name: name == TOTAL)
    nothing = (0.0, 0.0)
    return [Change(name=name, before=one.get(name, nothing), after=other.get(name, nothing)) for name in names]


TOTAL = "total"


def _lines(document: Any) -> Iterator[tuple[str, tuple[float | None, float | None]]]:
    yield "platform", _figures(document["platform"], document["platform"])
    for pool in document["pools"]:
        yield f"pool {pool['name']}", _figures(pool["asBought"], pool["onDemand"])
    yield TOTAL, _figures(document["total"]["asBought"], document["total"]["onDemand"])


def _figures(as_bought: Any, on_demand: Any) -> tuple[float | None, float | None]:
    return _number(as_bought["expected"]["month"]), _number(on_demand["ceiling"]["hour"])


def _number(value: Any) -> float | None:
    if value is not None and (isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value)):
        raise TypeError(f"{value!r} is no amount")
    return value
