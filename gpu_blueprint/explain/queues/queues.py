"""Summaries of the queues, for people and for programs."""

from ...config import StackConfig
from ...records import Record, asdict
from ...subjects.queues.contention import list_shares


class QueueSummary(Record, kw_only=True):
    """One tenant's part of one resource of a queued pool, in counts of the resource."""

    tenant: str
    pool: str
    resource: str
    own: int
    may_borrow: int
    alone: int
    """The most that the tenant holds while nobody else asks."""
    when_all_ask: int
    """The part that the tenant surely has when all tenants ask for all that they may hold."""
    first_come: int
    """Further units that the tenant may get then, if it asks first; 0 with fair shares."""
    is_capped: bool
    """True if the hourly ceiling buys less than the tenant may hold, so that ``alone`` is lower."""
    weight: float
    hourly_ceiling: float | None
    """US dollars an hour of the tenant's GPU jobs in all pools together, queued or not; None without a limit."""


def summarize_queues(stack: StackConfig) -> list[QueueSummary]:
    """Return a summary for each tenant and each resource of its queued pools; nothing without queues."""
    ceilings = {tenant.name: tenant.queue.hourly_ceiling if tenant.queue else None for tenant in stack.tenants}
    return [QueueSummary(**asdict(share), hourly_ceiling=ceilings[share.tenant]) for share in list_shares(stack)]
