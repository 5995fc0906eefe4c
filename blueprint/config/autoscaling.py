"""Services and headroom, held against the pools, the tenants and what is measured there."""

from collections import Counter
from collections.abc import Iterator
from math import ceil

from ..errors import Problem, near
from .headroom import HEADROOM_NAMESPACE, Headroom
from .monitoring import ExistingMonitoring
from .pools import Pool
from .promql import doubt
from .quotas import grant_problems
from .services import Query, Service
from .spending import ON_DEMAND, gpus_of, kept, placeholders_on
from .stack import StackConfig
from .tenants import Grant, Tenant

KEDA_NAMESPACE = "keda"


def autoscaled(stack: StackConfig) -> bool:
    """Whether KEDA is installed."""
    return stack.autoscaling or bool(stack.services)


def prometheus_url(stack: StackConfig) -> str:
    """Where KEDA reads; empty only where nothing is scaled."""
    return (stack.monitoring.url if stack.monitoring else None) or ""


def namespace_of(stack: StackConfig, service: Service) -> str:
    """Where the service's Deployment is."""
    return next(tenant.space for tenant in stack.tenants if tenant.name == service.tenant)


def autoscaling_problems(stack: StackConfig) -> Iterator[Problem]:
    """Yield services and headroom that could never run, scale or be measured; the stack's pools must be without problems."""
    for index, pool in enumerate(stack.pools):
        yield from (problem.under("pools", index, "headroom") for problem in _headroom_problems(stack, pool))
    for index, service in enumerate(stack.services):
        yield from (problem.under("services", index) for problem in _service_problems(stack, service))
    yield from _name_problems(stack)
    yield from _label_problems(stack)
    yield from _sum_problems(stack, at_least=True)
    yield from _namespace_problems(stack)
    if autoscaled(stack):
        where = ("services",) if stack.services else ("autoscaling",)
        if stack.monitoring is None:
            yield Problem(where, "scaling reads Prometheus: say monitoring: {mode: install}, or existing with your own")
        elif isinstance(stack.monitoring, ExistingMonitoring) and stack.services and not stack.monitoring.url:
            yield Problem(
                ("monitoring", "url"), "services are scaled by it: say where Prometheus answers in the cluster"
            )


def _headroom_problems(stack: StackConfig, pool: Pool) -> Iterator[Problem]:
    room = pool.headroom
    if room is None:
        return
    if pool.static_nodes is not None:
        yield Problem((), "static nodes are always warm; leave headroom or staticNodes out")
        return
    asked = list(_ask_problems(pool, room.gpus)) or list(_node_problems(stack, pool, room.gpus))
    yield from (problem.under("gpus") for problem in asked)
    if asked:
        return
    if not any(placeholders_on(pool, row) for row in stack.instances_of(pool)):
        largest = max(stack.instances_of(pool), key=lambda row: row.vcpu)
        has = f"{largest.instance_type} has {largest.vcpu} CPU and {largest.memory_mib // 1024} GiB, and keeps some for itself"
        text = f"no node of the pool holds a pod of {room.cpu} CPU and {room.memory} ({has}): it would wait for ever"
        yield Problem((), text)
        return
    yield from (problem.under("pods") for problem in _ceiling_problems(stack, pool, room))


def _ask_problems(pool: Pool, grant: Grant) -> Iterator[Problem]:
    """Yield why one pod cannot ask for so much of a pool."""
    yield from grant_problems(pool, grant)
    if not any(grant.values() if isinstance(grant, dict) else [grant]):
        yield Problem((), "a pod that asks for no GPU does not belong into a pool of them; give 1 or more")
    if pool.shared and isinstance(grant, int) and grant > 1:
        yield Problem((), f"a pod gets one share of pool {pool.name}, and is refused if it asks for {grant}; write 1")


def _node_problems(stack: StackConfig, pool: Pool, grant: Grant) -> Iterator[Problem]:
    """Yield why no node of a pool holds a pod that asks for so much."""
    for unit, count in pool.by_unit(grant).items():
        name = pool.profile.units[unit]
        most = max(pool.profile.per_node(row)[name] for row in stack.instances_of(pool))
        if count > most:
            text = f"a pod of {count} {name} never fits: nodes of pool {pool.name} hand out {most} at most; add a larger type"
            yield Problem((), text)


def _ceiling_problems(stack: StackConfig, pool: Pool, room: Headroom) -> Iterator[Problem]:
    """Yield why a pool's ceiling has no room for all its placeholders: by GPUs, or by the nodes that hold them."""
    names, ceiling = pool.profile.units, pool.profile.ceiling(pool.max_gpus)
    asked = {names[unit]: count * room.pods for unit, count in pool.by_unit(room.gpus).items()}
    short = {name: count for name, count in asked.items() if count > ceiling[name]}
    for name, count in short.items():
        text = f"{room.pods} pods ask for {count} {name}, the ceiling of pool {pool.name} is {ceiling[name]}"
        yield Problem((), f"{text}; lower it or raise maxGpus")
    fitting = [(row, each) for row in stack.instances_of(pool) if (each := placeholders_on(pool, row))]
    least = min(ceil(room.pods / each) * row.gpu_devices for row, each in fitting)
    if least > pool.max_gpus and not short:
        text = f"by their {room.cpu} CPU and {room.memory}, {room.pods} pods take nodes of {least} GPUs, the ceiling of pool {pool.name} is {pool.max_gpus}"
        yield Problem((), f"{text}; let one ask for less, lower it or raise maxGpus")


def _service_problems(stack: StackConfig, service: Service) -> Iterator[Problem]:
    tenants = {tenant.name: tenant for tenant in stack.tenants}
    if service.tenant not in tenants:
        text = f"there is no tenant {service.tenant!r} {near(service.tenant, tenants, 'there are')}"
        yield Problem(("tenant",), text)
    if service.pool not in stack.pools_by_name:
        text = f"there is no pool {service.pool!r} {near(service.pool, stack.pools_by_name, 'there are')}"
        yield Problem(("pool",), text)
        return
    pool = stack.pools_by_name[service.pool]
    asked = list(_ask_problems(pool, service.gpus)) or list(_node_problems(stack, pool, service.gpus))
    yield from (problem.under("gpus") for problem in asked)
    yield from _measure_problems(pool, service)
    if service.tenant in tenants and not asked:
        yield from _quota_problems(pool, tenants[service.tenant], service)


def _measure_problems(pool: Pool, service: Service) -> Iterator[Problem]:
    """Yield signals that the pool's nodes do not show for each pod."""
    for index, one in enumerate(service.scale_on):
        if one.signal != "sm-activity":
            continue
        path = ("scaleOn", index, "signal")
        if pool.profile.operands_off:
            yield Problem(
                path, f"no dcgm-exporter runs on the Bottlerocket nodes of pool {pool.name}; use another signal"
            )
        elif pool.shared:
            text = f"pods of pool {pool.name} share GPUs, and DCGM measures the whole GPU; use another signal"
            yield Problem(path, text)


def _quota_problems(pool: Pool, tenant: Tenant, service: Service) -> Iterator[Problem]:
    if not tenant.may_use(pool.name):
        text = f"tenant {tenant.name} has no quota in pool {pool.name}: add it to the tenant's gpus"
        yield Problem(("pool",), text)
        return
    granted = pool.by_unit(tenant.gpus[pool.name])
    for unit, count in pool.by_unit(service.gpus).items():
        most = granted.get(unit, 0)
        if service.replicas.max * count > most:
            text = f"{service.replicas.max} replicas ask for {service.replicas.max * count} {pool.profile.units[unit]}, the"
            yield Problem(
                ("replicas", "max"),
                f"{text} quota of {tenant.name} in pool {pool.name} is {most}: lower it, or raise the quota",
            )


def _sum_problems(stack: StackConfig, *, at_least: bool) -> Iterator[Problem]:
    """Yield services that a tenant's quota holds one by one, and not all together: at least, or at most as a warning."""
    asked: Counter[tuple[str, str, str]] = Counter()
    for index, service in enumerate(stack.services):
        tenant = next((one for one in stack.tenants if one.name == service.tenant), None)
        pool = stack.pools_by_name.get(service.pool)
        if tenant is None or pool is None or not tenant.may_use(pool.name):
            continue
        replicas = service.replicas.min if at_least else service.replicas.max
        granted = pool.by_unit(tenant.gpus[pool.name])
        for unit, count in pool.by_unit(service.gpus).items():
            key, most = (tenant.name, pool.name, unit), granted.get(unit, 0)
            before, asked[key] = asked[key], asked[key] + replicas * count
            if before <= most < asked[key] and before:
                text = f"services of {tenant.name} {'always' if at_least else 'together'} ask for {asked[key]} {unit} of pool {pool.name}, its quota is {most}"
                remedy = "lower it, or raise the quota" if at_least else "they will wait for each other"
                path = ("services", index, "replicas", "min" if at_least else "max")
                yield Problem(path, f"{text}: {remedy}", not at_least)


def _name_problems(stack: StackConfig) -> Iterator[Problem]:
    known: dict[tuple[str, str], int] = {}
    for index, service in enumerate(stack.services):
        first = known.setdefault((service.tenant, service.name), index)
        if first != index:
            text = f"{service.name!r} of tenant {service.tenant} stands already at services.{first}; name each Deployment once"
            yield Problem(("services", index, "name"), text)


def _label_problems(stack: StackConfig) -> Iterator[Problem]:
    """Yield services whose labels also fit another's pods, so that each would scale on the load of both."""
    known = [(index, one, set(one.selects(one.name).items())) for index, one in enumerate(stack.services) if one.server]
    for index, service, labels in known:
        for other, beside, others in known:
            if (service.tenant, service.server) != (beside.tenant, beside.server) or service.name == beside.name:
                continue
            if labels < others or (labels == others and other < index):  # where both say the same, the later is told
                text = f"these also fit the pods of {beside.name} (services.{other}), whose load would count as its own"
                yield Problem(
                    ("services", index, "podLabels"), f"{text}; name a label that only {service.name} carries"
                )


def _namespace_problems(stack: StackConfig) -> Iterator[Problem]:
    taken = {HEADROOM_NAMESPACE: "where headroom is kept"} if any(pool.headroom for pool in stack.pools) else {}
    taken |= {KEDA_NAMESPACE: "where KEDA runs"} if autoscaled(stack) else {}
    for index, tenant in enumerate(stack.tenants):
        if tenant.space in taken:
            path = ("tenants", index, "namespace" if tenant.namespace else "name")
            yield Problem(path, f"{tenant.space!r} is {taken[tenant.space]}; choose another namespace")


def autoscaling_warnings(stack: StackConfig) -> Iterator[Problem]:
    """Yield what is legal but will wait or cost more than it says."""
    yield from _sum_problems(stack, at_least=False)
    for index, pool in enumerate(stack.pools):
        yield from (problem.under("pools", index, "headroom", "pods") for problem in _crowding(stack, pool))
    for index, service in enumerate(stack.services):
        pool = stack.pools_by_name[service.pool]
        if pool.hours and service.replicas.min:
            text = (
                f"replicas that are kept ({service.replicas.min}) wait while pool {pool.name} is closed ({pool.hours}),"
                " and the alert GpuPodPending tells of them"
            )
            yield Problem(("services", index, "replicas", "min"), text, True)
        for at, one in enumerate(service.scale_on):
            if isinstance(one, Query) and (why := doubt(one.promql)):
                yield Problem(("services", index, "scaleOn", at, "promql"), why, True)


def _crowding(stack: StackConfig, pool: Pool) -> Iterator[Problem]:
    if room := pool.headroom:
        at_work, warm = kept(stack, pool, ON_DEMAND).at_work, gpus_of(pool, room.gpus) * room.pods
        if at_work + warm > pool.max_gpus >= max(at_work, warm):
            text = f"services keep {at_work:g} GPUs at work at least, and these {warm:g} more: the ceiling of pool {pool.name} is {pool.max_gpus}"
            yield Problem((), f"{text}, so some will always wait", True)
