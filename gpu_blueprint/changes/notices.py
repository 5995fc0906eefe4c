"""Lines that a reviewer must know although the stack itself loses nothing."""

from collections.abc import Iterator, Sequence

from ..plan import PlannedResource
from .effects import ResourceChange
from .subjects import CHANGES


def find_notices(
    before: Sequence[PlannedResource], after: Sequence[PlannedResource], changes: Sequence[ResourceChange]
) -> Iterator[str]:
    """Yield a sentence for each effect on people and systems outside the stack, and for each step by hand."""
    for subject in CHANGES.values():
        yield from subject.notices(before, after, changes)
