"""A cache for facts that many rules need, so that each fact is computed once."""

from collections.abc import Callable
from functools import cached_property
from typing import Any, Self, TypeVar, TypeVarTuple

from .values import NotYetKnownError, UnreadableError

_T = TypeVar("_T")
_Ts = TypeVarTuple("_Ts")


class FactHolder:
    """Base of resources and stacks: it keeps the facts that rules compute about them."""

    def compute_once(self, compute: Callable[[Self, *_Ts], _T], *about: *_Ts) -> _T:
        """Compute a fact; later calls with the same function and the same values return the first result.

        An error is kept too: later calls raise it again.

        Args:
            compute: Function that returns the fact; no closure, since it is a key. Callers must not change the fact.
            about: Further arguments of the function, such as the name of a namespace.

        Raises:
            NotYetKnownError: The fact needs a value that is not known yet.
            UnreadableError: The fact needs a value whose form no rule can read.
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
