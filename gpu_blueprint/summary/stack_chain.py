"""A stack, explained: network, cluster, pools, tenants, services, models and cost, a line for each part."""

from collections.abc import Iterator

from ..catalog.versions import GPU_OPERATOR
from ..config import (
    Cluster,
    CpuPool,
    ExistingCluster,
    InstallMonitoring,
    NewVpc,
    Pool,
    PrivateApi,
    Service,
    StackConfig,
    Tenant,
)
from ..config.sizes import write_size
from ..config.system_room import measure_stated_nodes
from ..cost.estimate import estimate_stack
from ..cost.money import Usd
from .amounts import describe_amount, describe_cost
from .existing_cluster import describe_shares
from .image_chain import describe_images
from .key_chain import describe_keys
from .models import ModelSummary, summarize_models
from .queue_chain import describe_queueing
from .stack import describe_enforcement, summarize_service
from .step import Step
from .storage import StorageSummary, summarize_storage


def explain_stack(stack: StackConfig) -> Iterator[Step]:
    """Yield the steps from a stack's account and network to its cost."""
    environment = f"environment {stack.environment}, owner {stack.owner}, cost center {stack.cost_center}"
    account = f"{stack.cluster_name} in {stack.region}, account {stack.account_id}"
    yield Step("stack", (account, environment))
    yield Step("network", tuple(_describe_network(stack)))
    yield Step("cluster", tuple(_describe_cluster(stack)))
    if stack.images and (sources := tuple(describe_images(stack, stack.images))):
        yield Step("images", sources)
    yield Step("pools", tuple(_list_pools(stack)))
    if stack.tenants:
        yield Step("tenants", tuple(_describe_tenant(stack, tenant) for tenant in stack.tenants))
        yield Step("admission", tuple(_describe_admission(stack)))
    if stack.queueing:
        yield Step("queues", tuple(describe_queueing(stack, stack.queueing)))
    if stack.services:
        yield Step("services", tuple(_describe_service(stack, service) for service in stack.services))
    if stack.models:
        yield Step("models", tuple(map(_describe_model, summarize_models(stack))))
    if stack.storage:
        yield Step("storage", tuple(map(_describe_storage, summarize_storage(stack))))
    if keys := tuple(describe_keys(stack)):
        yield Step("keys", keys)
    yield Step("monitoring", (_describe_monitoring(stack),))
    yield Step("cost", tuple(_describe_bounded_cost(stack)))


def _describe_network(stack: StackConfig) -> Iterator[str]:
    network = stack.network
    if isinstance(network, NewVpc):
        yield f"a new VPC {network.cidr} in {', '.join(network.zones)}"
        if network.internet:
            yield "one NAT gateway" if network.nat == "single" else "a NAT gateway in each zone"
    else:
        yield f"{network.vpc_id}, which exists already"
        yield from (f"{subnet.id} in {subnet.zone}" for subnet in network.subnets)
    if not network.internet:
        yield "no route to the internet"
    if network.endpoints:
        yield f"endpoints: {', '.join(network.endpoints)}"


def _describe_cluster(stack: StackConfig) -> Iterator[str]:
    cluster = stack.cluster
    versions = f"Karpenter {cluster.karpenter_version}, GPU Operator {GPU_OPERATOR.version}"
    if isinstance(cluster, ExistingCluster):
        yield f"{cluster.name}, which exists already: Kubernetes {cluster.kubernetes_version}"
        yield from describe_shares(stack, cluster)
    else:
        yield f"Kubernetes {cluster.kubernetes_version}, {versions}"
        yield from _describe_own_cluster(stack, cluster)
    yield from (f"admin: {arn}" for arn in cluster.admins)
    yield from (f"operator: {arn}" for arn in cluster.operators)
    yield from (f"viewer: {arn}" for arn in cluster.viewers)


def _describe_own_cluster(stack: StackConfig, cluster: Cluster) -> Iterator[str]:
    allowed = ", ".join(cluster.api.allowed_cidrs)
    if isinstance(cluster.api, PrivateApi):
        yield f"private API, reached from the VPC{f' and {allowed}' if allowed else ''}"
    else:
        yield f"public API, reached from {allowed}"
    yield f"{stack.system_node_count} system nodes: {' or '.join(cluster.system_nodes.instance_types)}"
    yield from _describe_system_room(stack)
    if cluster.node_local_dns:
        yield "a DNS cache on every node answers its pods (docs/dns.md)"


def _describe_system_room(stack: StackConfig) -> Iterator[str]:
    """Yield the sum of the platform's own pods, and the room that the system nodes have for them."""
    rooms = measure_stated_nodes(stack)
    needed, pods = rooms[0].needed, rooms[0].pod_count
    yield f"the platform's {pods} pods request {write_size(*needed)} there, beside the agents of every node"
    for room in rooms:
        away = ", one of them away," if room.nodes < stack.system_node_count else ""
        have = f"{write_size(*room.together)} and {room.nodes * room.slots} addresses"
        yield f"{stack.system_node_count} {room.row.instance_type}{away} have {have} for them"


def _list_pools(stack: StackConfig) -> Iterator[str]:
    yield from map(_describe_pool, stack.gpu_pools)
    for pool in stack.cpu_pools:
        made = "" if stack.states_cpu_pools else ", made by the platform"
        yield f"{_describe_cpu_pool(pool)}{made}"


def _describe_cpu_pool(pool: CpuPool) -> str:
    families = ", ".join(pool.instance_families)
    bought = " → ".join(pool.purchase)
    return (
        f"{pool.name}, for pods without GPU: {families} ({pool.arch}); bought {bought}, at most {pool.max_cpus} vCPUs"
    )


def _describe_pool(pool: Pool) -> str:
    shared = f"{pool.model.product}, {pool.profile.summary}"
    bought = " → ".join(pool.purchase)
    return f"{pool.name}, for {pool.purpose}: {shared}; bought {bought}, at most {pool.max_gpus} GPUs"


def _describe_tenant(stack: StackConfig, tenant: Tenant) -> str:
    pools = stack.gpu_pools_by_name
    grants = [f"{name} {describe_amount(pools[name], amount)}" for name, amount in tenant.gpus.items()]
    return f"{tenant.name} in namespace {tenant.namespace_name}: {', '.join(grants) or 'no grant'}"


def _describe_service(stack: StackConfig, service: Service) -> str:
    found = summarize_service(stack, service)
    replicas = f"{found.min_replicas} to {found.max_replicas} replicas"
    return f"{found.namespace}/{found.name} in pool {found.pool}: {replicas}, by {', '.join(found.scales_on)}"


def _describe_model(found: ModelSummary) -> str:
    replicas = [
        f"{version.deployment} {version.min_replicas} to {version.max_replicas} replicas" for version in found.versions
    ]
    signals = ", ".join(found.scales_on)
    return f"{found.url} on {found.server} in pool {found.pool}: {', '.join(replicas)}, by {signals}"


def _describe_storage(found: StorageSummary) -> str:
    may = [f"{mount.tenant} may {mount.access}" for mount in found.mounts]
    return f"{found.name}: {found.holds}; {', '.join(may)}"


def _describe_admission(stack: StackConfig) -> Iterator[str]:
    """Yield the strictness of the rules for tenants, the tenants that a rule is lifted for, and their images."""
    yield describe_enforcement(stack)
    if stack.allowed_images:
        yield f"images from {', '.join(stack.allowed_images)}"
    tenants = {tenant.name for tenant in stack.tenants}
    for waiver in stack.waivers:
        if waiver.resource in tenants:
            yield f"{waiver.rule} is lifted for {waiver.resource} until {waiver.until}: {waiver.reason}"


def _describe_monitoring(stack: StackConfig) -> str:
    if stack.monitoring is None:
        return "none"
    if isinstance(stack.monitoring, InstallMonitoring):
        return f"Prometheus in the cluster, {stack.monitoring.retention_days} days of metrics"
    return "your own Prometheus, with our monitors, rules and dashboards"


def _describe_bounded_cost(stack: StackConfig) -> Iterator[str]:
    """Yield the cost to plan with, and the bounds of the stack file."""
    yield from describe_cost(estimate_stack(stack).cost)
    if stack.hourly_ceiling is not None:
        yield f"hourlyCeiling: {Usd(stack.hourly_ceiling)}"
    if stack.monthly_budget is not None:
        yield f"monthlyBudget: {Usd(stack.monthly_budget)}"
