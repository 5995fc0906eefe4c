"""What a stack comes to, for people and for programs: its pools and what they hand out, its tenants and their shares."""

from dataclasses import asdict, dataclass
from typing import Any

from pydantic.alias_generators import to_camel

from ..catalog.versions import GPU_OPERATOR
from ..config import Pool, Service, StackConfig, Tenant
from ..config.buying import Reservation
from ..config.services import Latency, Signal, SmActivity
from ..cost.pools import ON_DEMAND, cost_of
from ..monitoring.scaling import measures


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolSummary:
    """One pool; counts are of extended resources, ``perNode`` by instance type."""

    name: str
    purpose: str
    gpu: str
    sharing: str
    instance_types: list[str]
    purchase: list[str]
    reservations: list[str]
    zones: list[str]
    ami: str
    per_node: dict[str, dict[str, int]]
    max_gpus: int
    ceiling: dict[str, int]
    ceiling_usd_per_hour: float | None
    """What the pool costs at its ceiling, on demand, on the type that costs most per GPU, disks included; None where a price is not known."""
    taints: list[dict[str, str]]
    hours: str | None
    """When it is open, such as ``mon–fri 07:00–20:00 Europe/Berlin``; None where it always is."""
    headroom: dict[str, Any] | None
    """Placeholders and what one of them asks for, as the stack file says it; None where nothing is kept warm."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TenantSummary:
    """One tenant; ``gpus`` is its quota by pool, ``quota`` the same by extended resource."""

    name: str
    namespace: str
    gpus: dict[str, Any]
    quota: dict[str, int]
    cpu: str
    memory: str
    members: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceSummary:
    """One service; ``promql`` is what each of its signals becomes, ``scalesOn`` the same for people."""

    name: str
    namespace: str
    pool: str
    server: str | None
    min_replicas: int
    max_replicas: int
    scales_on: list[str]
    promql: list[str]


def stack_facts(stack: StackConfig) -> dict[str, str]:
    """What identifies the environment, and the versions it runs."""
    return {
        "name": stack.cluster_name,
        "environment": stack.environment,
        "region": stack.region,
        "accountId": stack.account_id,
        "kubernetes": stack.cluster.kubernetes_version,
        "karpenter": stack.cluster.karpenter_version,
        "gpuOperator": GPU_OPERATOR.version,
    }


def pool_summary(stack: StackConfig, pool: Pool) -> PoolSummary:
    """Sum a pool up."""
    rows = stack.instances_of(pool)
    return PoolSummary(
        name=pool.name,
        purpose=pool.purpose,
        gpu=pool.model.name,
        sharing=pool.profile.summary,
        instance_types=[row.instance_type for row in rows],
        purchase=list(pool.purchase),
        reservations=[
            _reserved(one) for one in stack.reservations if any(term.selects(one) for term in pool.reservations)
        ],
        zones=stack.zones_of(pool),
        ami=pool.ami.alias,
        per_node={row.instance_type: pool.profile.per_node(row) for row in rows},
        max_gpus=pool.max_gpus,
        ceiling=pool.profile.ceiling(pool.max_gpus),
        ceiling_usd_per_hour=cost_of(stack, pool, ON_DEMAND).ceiling.hour.exact,
        taints=[dict(pool.profile.taint), *(taint.model_dump(exclude_none=True) for taint in pool.taints)],
        hours=str(pool.hours) if pool.hours else None,
        headroom=pool.headroom.model_dump() if pool.headroom else None,
    )


def _reserved(one: Reservation) -> str:
    until = f" until {one.ends}" if one.ends else ""
    return f"{one.instances} × {one.instance_type} in {one.zone}{until} ({one.id})"


def tenant_summary(stack: StackConfig, tenant: Tenant) -> TenantSummary:
    """Sum a tenant up."""
    return TenantSummary(
        name=tenant.name,
        namespace=tenant.space,
        gpus=dict(tenant.gpus),
        quota=stack.quota_of(tenant),
        cpu=tenant.cpu,
        memory=tenant.memory,
        members=list(tenant.members),
    )


def service_summary(stack: StackConfig, service: Service) -> ServiceSummary:
    """Sum a service up."""
    space = stack.namespace_of(service)
    return ServiceSummary(
        name=service.name,
        namespace=space,
        pool=service.pool,
        server=service.server,
        min_replicas=service.replicas.min,
        max_replicas=service.replicas.max,
        scales_on=[_signal(one) for one in service.scale_on],
        promql=[one.promql for one in measures(service.name, space, service)],
    )


def _signal(one: Signal) -> str:
    match one:
        case Latency():
            return f"latency {one.seconds:g} s"
        case SmActivity():
            return f"SM activity {one.share:.0%}"
        case _:
            return f"{one.signal} {one.per_replica:g} each"


def as_json(summary: PoolSummary | TenantSummary | ServiceSummary) -> dict[str, Any]:
    """Write a summary with the names that YAML uses."""
    return {to_camel(name): value for name, value in asdict(summary).items()}
