"""The tiers of the tests: a search is deep and runs at night; the suite keeps a few of its cases."""

from collections.abc import Sequence
from typing import Any

import pytest

DEEP = pytest.mark.deep


def keep_some(cases: Sequence[Any], kept: int) -> list[Any]:
    """Return parameters of a test, of which ``kept``, evenly spread, run in the suite; all others are deep.

    Args:
        cases: Values, or results of ``pytest.param``.
        kept: The number of cases that the suite runs; all of them, if there are no more.
    """
    places = {place * len(cases) // kept for place in range(kept)}
    return [case if place in places else _deepen(case) for place, case in enumerate(cases)]


def _deepen(case: Any) -> Any:
    """Return a case, or a result of ``pytest.param``, with the mark."""
    if hasattr(case, "_replace") and hasattr(case, "marks"):
        return case._replace(marks=(*case.marks, DEEP))
    return pytest.param(case, marks=DEEP)
