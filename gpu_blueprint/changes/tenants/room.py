"""GPUs that a smaller quota of CPU or memory takes from a tenant: its pods on them no longer fit."""

import re
from collections.abc import Iterator, Mapping

from ..quantities import read_quantity
from ..snapshot import Snapshot
from ..tenant_view import Shift, TenantView, read_list, read_map
from .quotas import find_own_limit

_KIND = "quota-below-slots"
"""The kind of the warning that `check` has for it."""
_PATH = re.compile(r"tenants\.(\d+)\.(cpu|memory)")


def compare_room(before: Snapshot, after: Snapshot) -> Iterator[Shift]:
    """Yield the quotas that fall below the pods on all GPUs of a tenant, for tenants that stay.

    Where the grant of GPUs rises instead, nothing is lost.
    """
    old, new = (TenantView.of(snapshot.resources) for snapshot in (before, after))
    known = _find_short(before)
    for (tenant, field), reason in _find_short(after).items():
        was, now = (read_quantity(find_own_limit(view, tenant, f"requests.{field}")) for view in (old, new))
        if (tenant, field) not in known and was is not None and now is not None and now < was:
            yield Shift(tenant, f"its {field} falls below its GPUs: {reason}", is_loss=True, is_grave=True)


def _find_short(snapshot: Snapshot) -> Mapping[tuple[str, str], str]:
    """Return tenant and field → reason, for each quota that is too small.

    A path has a position, and the estimate has the tenants in the order of the file.
    """
    tenants = [str(read_map(tenant).get("name")) for tenant in read_list(snapshot.cost, "tenants")]
    found = {}
    for finding in snapshot.findings:
        place = _PATH.fullmatch(str(finding.get("path", "")))
        if finding.get("kind") == _KIND and place and int(place[1]) < len(tenants):
            found[tenants[int(place[1])], place[2]] = str(finding.get("reason", ""))
    return found
