"""Changes: how a subject compares two plans of a stack."""

from collections.abc import Callable, Iterable, Sequence

from ..plan import PlannedResource
from ..records import Record
from .effects import ResourceChange
from .tenant_view import Shift, TenantView


class Changes(Record, kw_only=True):
    """The comparisons of a subject; a subject leaves out what nobody can gain or lose by it."""

    compare: Callable[[TenantView, TenantView, Sequence[ResourceChange]], Iterable[Shift]] = lambda *_: ()
    """The gains and losses of tenants, from the objects before and after, and the changes of resources."""
    notices: Callable[
        [Sequence[PlannedResource], Sequence[PlannedResource], Sequence[ResourceChange]], Iterable[str]
    ] = lambda *_: ()
    """A sentence for each effect outside the stack and for each step by hand, from the same three in resources."""
