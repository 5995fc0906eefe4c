"""The comparisons of two plans by subject."""

from collections.abc import Iterator, Mapping, Sequence

from ..plan import PlannedResource
from ..subject import Subject
from .cluster.notices import find_cluster_notices
from .effects import ResourceChange
from .facet import Changes
from .models.models import compare_models, find_planned_ends
from .models.rollouts import find_rollouts
from .monitoring.notices import find_monitoring_notices
from .pools.closings import compare_hours, find_pools_left_closed
from .pools.sharing_files import find_unused_files
from .queues.kueue_settings import find_restarts
from .queues.tenant_queues import compare_queues, find_first_queues
from .services.scaling import compare_services, compare_signals
from .storage.notices import find_storage_notices
from .storage.tenant_storage import compare_storage
from .tenant_view import Shift, TenantView
from .tenants.access import compare_access
from .tenants.admission import compare_admission
from .tenants.identities import compare_identities
from .tenants.quotas import compare_tenant_quotas
from .tenants.traffic import compare_traffic

_Changes = Sequence[ResourceChange]
_Plan = Sequence[PlannedResource]


def _compare_tenants(old: TenantView, new: TenantView, _: _Changes) -> Iterator[Shift]:
    for compare in (compare_tenant_quotas, compare_access, compare_traffic, compare_admission, compare_identities):
        yield from compare(old, new)


def _compare_services(old: TenantView, new: TenantView, _: _Changes) -> Iterator[Shift]:
    yield from compare_services(old, new)
    yield from compare_signals(old, new)


def _note_queues(before: _Plan, after: _Plan, _: _Changes) -> Iterator[str]:
    yield from find_first_queues(before, after)
    yield from find_restarts(before, after)


def _note_models(before: _Plan, after: _Plan, _: _Changes) -> Iterator[str]:
    yield from find_rollouts(before, after)
    yield from find_planned_ends(before, after)


def _note_pools(before: _Plan, after: _Plan, _: _Changes) -> Iterator[str]:
    yield from find_pools_left_closed(before, after)
    yield from find_unused_files(before, after)


CHANGES: Mapping[Subject, Changes] = {
    "storage": Changes(compare=compare_storage, notices=find_storage_notices),
    "queues": Changes(compare=lambda old, new, _: compare_queues(old, new), notices=_note_queues),
    "models": Changes(compare=lambda old, new, _: compare_models(old, new), notices=_note_models),
    "tenants": Changes(compare=_compare_tenants),
    "services": Changes(compare=_compare_services),
    "pools": Changes(compare=lambda old, new, _: compare_hours(old, new), notices=_note_pools),
    "monitoring": Changes(notices=find_monitoring_notices),
    "cluster": Changes(notices=find_cluster_notices),
}
"""Subject → its comparisons, causes before effects: the end of a queue or of a model explains the end of its rights."""


def find_notices(before: _Plan, after: _Plan, changes: _Changes) -> Iterator[str]:
    """Yield a sentence for each effect on people and systems outside the stack, and for each manual step."""
    for subject in CHANGES.values():
        yield from subject.notices(before, after, changes)
