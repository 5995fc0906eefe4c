"""Facts that many rules need, each computed once."""

from collections.abc import Callable
from functools import cached_property
from typing import Any, Self, TypeVar, TypeVarTuple

from .values import NotYetKnownError, UnreadableError

_T = TypeVar("_T")
_Ts = TypeVarTuple("_Ts")


class FactHolder:
    """A resource or a program whose facts many rules need."""

    def compute_once(self, compute: Callable[[Self, *_Ts], _T], *about: *_Ts) -> _T:
        """Compute a fact; later calls with the same function and the same values return the first result.

        An error is kept as well: later calls raise it again.

        Args:
            compute: Function that returns the fact, which callers must not change; no closure, since it is a key.
            about: Further arguments of the function, such as the name of a namespace.

        Raises:
            NotYetKnownError: The fact needs a value that is not known yet.
            UnreadableError: The fact needs a value that has another form.
        """
        key = (compute, *about)
        if key not in self._facts:
            try:
                self._facts[key] = compute(self, *about), None
            except (NotYetKnownError, UnreadableError) as error:
                self._facts[key] = None, error
        result, raised = self._facts[key]
        if raised:
            raise raised.with_traceback(None)
        found: _T = result
        return found

    @cached_property
    def _facts(self) -> dict[Any, tuple[Any, Exception | None]]:
        return {}
