"""The things that tenants gain and lose with a change."""

from collections.abc import Sequence

from .effects import ResourceChange, TenantChange
from .snapshot import Snapshot


def compare_tenants(before: Snapshot, after: Snapshot, changes: Sequence[ResourceChange]) -> tuple[TenantChange, ...]:
    """Return the tenants that gain or lose anything."""
    return ()
