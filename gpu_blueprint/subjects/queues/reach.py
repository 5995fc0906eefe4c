"""The GPUs of a pool that a queue admits, and the most that a tenant may hold of them: its grant, and what its
queue lets it borrow."""

from ...config import Pool, Queueing, StackConfig, Tenant
from ...config.tenants import GpuAmount
from ...cost.gpus import count_reachable_gpus


def count_grant(tenant: Tenant, pool: Pool) -> dict[str, int]:
    """Return extended resource → count of a tenant's grant, for every resource that the pool advertises."""
    counts = pool.count_by_unit(tenant.gpus.get(pool.name, 0))
    return {name: counts.get(unit, 0) for unit, name in pool.profile.units.items()}


def count_offered(stack: StackConfig, pool: Pool) -> dict[str, int]:
    """Return extended resource → most that a queue may admit, so that each job gets its nodes.

    They are the GPUs that whole nodes, and the reservations of a pool without other purchase, hold beside headroom.
    """
    most, kept = pool.profile.count_at_ceiling(count_reachable_gpus(stack, pool)), count_headroom(pool)
    return {name: max(count - kept[name], 0) for name, count in most.items()}


def count_rest(stack: StackConfig, pool: Pool) -> dict[str, int]:
    """Return extended resource → count that the queue may admit and no grant covers."""
    granted = [count_grant(tenant, pool) for tenant in stack.tenants]
    return {
        name: max(most - sum(grant[name] for grant in granted), 0) for name, most in count_offered(stack, pool).items()
    }


def count_headroom(pool: Pool) -> dict[str, int]:
    """Return extended resource → count that placeholders hold, for every resource that the pool advertises."""
    counts = pool.count_by_unit(pool.headroom.gpus) if pool.headroom else {}
    pods = pool.headroom.pods if pool.headroom else 0
    return {name: counts.get(unit, 0) * pods for unit, name in pool.profile.units.items()}


def count_borrowable(stack: StackConfig, tenant: Tenant, pool: Pool) -> dict[str, int]:
    """Return extended resource → most that a tenant may borrow beyond its grant.

    All are 0 in a pool without queue. A resource without a grant is 0, since admission refuses the tenant's pods there.
    """
    grant = count_grant(tenant, pool)
    if pool not in stack.queued_pools or not any(grant.values()):
        return dict.fromkeys(grant, 0)
    if tenant.queue and tenant.queue.borrow is not None:
        counts = pool.count_by_unit(tenant.queue.borrow.get(pool.name, 0))
        limits = {name: counts.get(unit, 0) for unit, name in pool.profile.units.items()}
    else:
        offered = count_offered(stack, pool)
        limits = {name: max(offered[name] - count, 0) for name, count in grant.items()}
    return {name: limits[name] if count else 0 for name, count in grant.items()}


def count_reach(stack: StackConfig, tenant: Tenant, pool: Pool) -> dict[str, int]:
    """Return extended resource → most that a tenant may hold: grant and borrowing, up to the queue's offer."""
    grant, borrowable = count_grant(tenant, pool), count_borrowable(stack, tenant, pool)
    if not any(borrowable.values()):
        return grant
    offered = count_offered(stack, pool)
    return {name: _cap(count, borrowable[name], offered[name]) for name, count in grant.items()}


def lets_classes_stop(stack: StackConfig, queueing: Queueing, tenant: Tenant) -> bool:
    """Return whether a job of a higher class stops running jobs of a lower class of its own team.

    Under fair shares it does not where another team may borrow what the team has a grant of. Kueue 0.19.2 would take
    the team's share as if its own jobs were stopped, stop a job of the other team for this share, spare the own jobs,
    and start the stopped job first: again and again, for ever (kueue issue 14543).
    """
    return not queueing.fair or not any(
        granted and count_borrowable(stack, other, pool)[resource]
        for other in stack.tenants
        if other.name != tenant.name
        for pool in stack.queued_pools
        for resource, granted in count_grant(tenant, pool).items()
    )


def raise_grants(stack: StackConfig, tenant: Tenant) -> Tenant:
    """Return the tenant as if its grant in each pool were its reach; the tenant itself if it may borrow nothing."""
    raised: dict[str, GpuAmount] = {}
    for name in tenant.gpus:
        pool = stack.gpu_pools_by_name[name]
        reach = count_reach(stack, tenant, pool)
        if reach != count_grant(tenant, pool):
            by_unit = {unit: reach[resource] for unit, resource in pool.profile.units.items()}
            raised[name] = by_unit if len(by_unit) > 1 else next(iter(by_unit.values()))
    return tenant.model_copy(update={"gpus": {**tenant.gpus, **raised}}) if raised else tenant


def _cap(grant: int, borrowable: int, offered: int) -> int:
    """Return grant and borrowing up to the offer; a grant above the offer stays, as it does without queues."""
    return max(grant, min(grant + borrowable, offered))
