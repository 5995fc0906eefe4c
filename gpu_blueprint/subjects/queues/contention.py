"""Who gets how much of a queued pool: alone, and when all teams ask at once.

Kueue divides borrowed GPUs by the dominant resource share: a team's borrowed count, over the count of this resource
that the whole cohort could lend, over the weight of the team (``dominantResourceShare`` in Kueue's
pkg/cache/scheduler/fair_sharing.go). The next unit goes to the team with the least share after it. In one pool the
lendable count is the same for all, so borrowed counts per weight decide.
"""

from collections.abc import Collection, Mapping
from heapq import heapify, heappop, heappush
from math import inf

from ...config import Pool, StackConfig, Tenant
from ...records import Record
from .prices import count_millidollars, has_hourly_ceilings, price_units, round_prices
from .reach import count_borrowable, count_grant, count_reach, count_rest


class Share(Record, kw_only=True):
    """A tenant's part of one resource of a queued pool; all numbers but the weight are counts of the resource."""

    tenant: str
    pool: str
    resource: str
    own: int
    """The grant."""
    may_borrow: int
    alone: int
    """The most that the tenant holds while nobody else asks; its hourly ceiling counts."""
    when_all_ask: int
    """The tenant's part when every tenant asks for all that it may hold of this resource in this pool, and borrows
    nothing in other pools. Where two teams have an equal claim to the last unit, the first in the stack file gets it
    here; Kueue gives it to the job that waits longest."""
    first_come: int
    """Further units that the tenant may then get, because without fair shares the first come take the rest."""
    is_capped: bool
    """True if the tenant's hourly ceiling buys less than the tenant may hold."""
    weight: float


class Claim(Record):
    """A tenant's own units, the most that it may hold with borrowed units, and its weight."""

    own: int
    most: int
    weight: float = 1


def find_weight(tenant: Tenant) -> float:
    """Return the weight of a tenant's queue, which is 1 for a tenant that names none."""
    return tenant.queue.weight if tenant.queue else 1


def list_shares(stack: StackConfig) -> list[Share]:
    """Return the share of every tenant in every queued pool of its grants, in the order of the pools in the file."""
    prices = _list_prices(stack)
    return [
        share
        for pool in stack.queued_pools
        for resource in pool.profile.units.values()
        for share in _share_resource(stack, pool, resource, prices)
    ]


def divide_pool(stack: StackConfig, pool: Pool, resource: str, asking: Collection[str]) -> dict[str, int]:
    """Return tenant → fair count of a resource, when some tenants ask for all that they may hold, and no other asks."""
    claims = _list_claims(stack, pool, resource, _list_prices(stack))
    wanted = {name: claim for name, claim in claims.items() if name in asking}
    return divide(_count_total(stack, pool, resource), wanted)


def divide(total: int, claims: Mapping[str, Claim], size: int = 1) -> dict[str, int]:
    """Give each unit, or job of a size, to the least share after it: borrowed units per weight, and 0 for own units."""
    held = dict.fromkeys(claims, 0)
    order = {name: index for index, name in enumerate(claims)}

    def weigh(name: str) -> tuple[float, int, str]:
        return _weigh(held[name] + size, claims[name]), order[name], name

    waiting = [weigh(name) for name, claim in claims.items() if claim.most >= size]
    heapify(waiting)
    for _ in range(total // size):
        if not waiting:
            break
        _, _, name = heappop(waiting)
        held[name] += size
        if held[name] + size <= claims[name].most:
            heappush(waiting, weigh(name))
    return held


def _weigh(count: int, claim: Claim) -> float:
    """Return the share of a team that holds a count; a team of weight 0 that borrows comes last, as in Kueue."""
    borrowed = max(count - claim.own, 0)
    if not borrowed:
        return 0
    return borrowed / claim.weight if claim.weight > 0 else inf


def _share_resource(stack: StackConfig, pool: Pool, resource: str, prices: Mapping[str, int]) -> list[Share]:
    claims, total = _list_claims(stack, pool, resource, prices), _count_total(stack, pool, resource)
    is_fair = bool(stack.queueing and stack.queueing.fair)
    held = divide(total, claims) if is_fair else {name: claim.own for name, claim in claims.items()}
    rest = 0 if is_fair else total - sum(held.values())
    return [
        Share(
            tenant=tenant.name,
            pool=pool.name,
            resource=resource,
            own=count_grant(tenant, pool)[resource],
            may_borrow=count_borrowable(stack, tenant, pool)[resource],
            alone=claims[tenant.name].most,
            when_all_ask=held[tenant.name],
            first_come=min(rest, claims[tenant.name].most - held[tenant.name]),
            is_capped=claims[tenant.name].most < count_reach(stack, tenant, pool)[resource],
            weight=find_weight(tenant),
        )
        for tenant in stack.tenants
        if tenant.name in claims
    ]


def _list_prices(stack: StackConfig) -> dict[str, int]:
    """Return extended resource → thousandths of a dollar an hour; nothing in a stack without hourly ceilings."""
    return round_prices(price_units(stack)) if has_hourly_ceilings(stack) else {}


def _list_claims(stack: StackConfig, pool: Pool, resource: str, prices: Mapping[str, int]) -> dict[str, Claim]:
    """Return tenant → claim, for the tenants that may hold something; an hourly ceiling caps both numbers."""
    found = {}
    for tenant in stack.tenants:
        price = prices.get(resource)
        paid = count_millidollars(tenant) // price if price else inf
        own, most = count_grant(tenant, pool)[resource], count_reach(stack, tenant, pool)[resource]
        if most:
            found[tenant.name] = Claim(int(min(own, paid)), int(min(most, paid)), find_weight(tenant))
    return found


def _count_total(stack: StackConfig, pool: Pool, resource: str) -> int:
    """Return the count that the cohort has: all grants, and the rest of the pool that queues admit."""
    granted = sum(count_grant(tenant, pool)[resource] for tenant in stack.tenants)
    return granted + count_rest(stack, pool)[resource]
