"""Services and headroom, held against the pools, the tenants and what is measured there."""

from collections import Counter
from collections.abc import Iterator

from ..catalog import namespaces
from ..config.monitoring import ExistingMonitoring
from ..config.pools import Pool
from ..config.promql import doubt
from ..config.services import Query, Service
from ..config.stack import StackConfig
from ..config.tenants import Tenant
from ..errors import Problem, near
from .pod_requests import ask_problems, node_problems


def service_problems(stack: StackConfig) -> Iterator[Problem]:
    """Yield services and headroom that could never run, scale or be measured; the stack's pools must be without problems."""
    for index, service in enumerate(stack.services):
        yield from (problem.under("services", index) for problem in _problems_of(stack, service))
    yield from _name_problems(stack)
    yield from _label_problems(stack)
    yield from _sum_problems(stack, at_least=True)
    yield from _namespace_problems(stack)
    if stack.has_keda:
        where = ("services",) if stack.services else ("autoscaling",)
        if stack.monitoring is None:
            yield Problem(
                "todo", where, "scaling reads Prometheus: say monitoring: {mode: install}, or existing with your own"
            )
        elif isinstance(stack.monitoring, ExistingMonitoring) and stack.services and not stack.monitoring.url:
            yield Problem(
                "todo", ("monitoring", "url"), "services are scaled by it: say where Prometheus answers in the cluster"
            )


def _problems_of(stack: StackConfig, service: Service) -> Iterator[Problem]:
    tenants = {tenant.name: tenant for tenant in stack.tenants}
    if service.tenant not in tenants:
        text = f"there is no tenant {service.tenant!r} {near(service.tenant, tenants, 'there are')}"
        yield Problem("todo", ("tenant",), text)
    if service.pool not in stack.pools_by_name:
        text = f"there is no pool {service.pool!r} {near(service.pool, stack.pools_by_name, 'there are')}"
        yield Problem("todo", ("pool",), text)
        return
    pool = stack.pools_by_name[service.pool]
    asked = list(ask_problems(pool, service.gpus)) or list(node_problems(stack, pool, service.gpus))
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
                "todo", path, f"no dcgm-exporter runs on the Bottlerocket nodes of pool {pool.name}; use another signal"
            )
        elif pool.shared:
            text = f"pods of pool {pool.name} share GPUs, and DCGM measures the whole GPU; use another signal"
            yield Problem("todo", path, text)


def _quota_problems(pool: Pool, tenant: Tenant, service: Service) -> Iterator[Problem]:
    if not tenant.may_use(pool.name):
        text = f"tenant {tenant.name} has no quota in pool {pool.name}: add it to the tenant's gpus"
        yield Problem("todo", ("pool",), text)
        return
    granted = pool.by_unit(tenant.gpus[pool.name])
    for unit, count in pool.by_unit(service.gpus).items():
        most = granted.get(unit, 0)
        if service.replicas.max * count > most:
            text = f"{service.replicas.max} replicas ask for {service.replicas.max * count} {pool.profile.units[unit]}, the"
            yield Problem(
                "todo",
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
                yield Problem("todo", path, f"{text}: {remedy}", severity="error" if at_least else "warning")


def _name_problems(stack: StackConfig) -> Iterator[Problem]:
    known: dict[tuple[str, str], int] = {}
    for index, service in enumerate(stack.services):
        first = known.setdefault((service.tenant, service.name), index)
        if first != index:
            text = f"{service.name!r} of tenant {service.tenant} stands already at services.{first}; name each Deployment once"
            yield Problem("todo", ("services", index, "name"), text)


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
                    "todo", ("services", index, "podLabels"), f"{text}; name a label that only {service.name} carries"
                )


def _namespace_problems(stack: StackConfig) -> Iterator[Problem]:
    taken = {namespaces.HEADROOM: "where headroom is kept"} if any(pool.headroom for pool in stack.pools) else {}
    taken |= {namespaces.KEDA: "where KEDA runs"} if stack.has_keda else {}
    for index, tenant in enumerate(stack.tenants):
        if tenant.space in taken:
            path = ("tenants", index, "namespace" if tenant.namespace else "name")
            yield Problem("todo", path, f"{tenant.space!r} is {taken[tenant.space]}; choose another namespace")


def service_warnings(stack: StackConfig) -> Iterator[Problem]:
    """Yield what is legal but will wait or cost more than it says."""
    yield from _sum_problems(stack, at_least=False)
    for index, service in enumerate(stack.services):
        pool = stack.pools_by_name[service.pool]
        if pool.hours and service.replicas.min:
            text = (
                f"replicas that are kept ({service.replicas.min}) wait while pool {pool.name} is closed ({pool.hours}),"
                " and the alert GpuPodPending tells of them"
            )
            yield Problem("todo", ("services", index, "replicas", "min"), text, severity="warning")
        for at, one in enumerate(service.scale_on):
            if isinstance(one, Query) and (why := doubt(one.promql)):
                yield Problem("todo", ("services", index, "scaleOn", at, "promql"), why, severity="warning")
