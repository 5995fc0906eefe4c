"""Explanations of the parts of a stack, until gpu_blueprint.summary exports functions of these names."""

from collections.abc import Iterator, Sequence

from ..config import Pool, Service, StackConfig, Tenant
from ..summary.pool_chain import Step
from ..summary.pool_chain import explain as explain_pool
from ..summary.stack import service_summary, stack_facts, tenant_summary

__all__ = ["Step", "explain_pool", "explain_service", "explain_stack", "explain_tenant"]


def explain_stack(config: StackConfig) -> Iterator[Step]:
    """Yield the steps of a stack as a whole."""
    facts = stack_facts(config)
    yield Step("cluster", (f"{facts['name']} in {facts['region']}, account {facts['accountId']}",))
    yield Step("versions", (f"Kubernetes {facts['kubernetes']}, Karpenter {facts['karpenter']}",))
    yield from _list_part_names("pools", config.pools)
    yield from _list_part_names("tenants", config.tenants)
    yield from _list_part_names("services", config.services)


def _list_part_names(title: str, parts: Sequence[Pool | Tenant | Service]) -> Iterator[Step]:
    if parts:
        yield Step(title, tuple(part.name for part in parts))


def explain_tenant(config: StackConfig, tenant: Tenant) -> Iterator[Step]:
    """Yield the steps of a tenant."""
    summary = tenant_summary(config, tenant)
    yield Step("namespace", (summary.namespace,))
    yield Step("GPU quota by pool", tuple(f"{pool}: {count}" for pool, count in summary.gpus.items()) or ("none",))
    yield Step("quota keys", tuple(f"requests.{name}: {count}" for name, count in summary.quota.items()))
    yield Step("CPU and memory", (f"{summary.cpu}, {summary.memory}",))
    yield Step("members", tuple(summary.members))


def explain_service(config: StackConfig, service: Service) -> Iterator[Step]:
    """Yield the steps of a service."""
    summary = service_summary(config, service)
    yield Step("Deployment", (f"{summary.namespace}/{summary.name}, server {summary.server or 'unknown'}",))
    yield Step("pool", (summary.pool,))
    yield Step("replicas", (f"{summary.min_replicas} to {summary.max_replicas}",))
    yield Step("scales on", tuple(summary.scales_on))
    yield Step("PromQL", tuple(summary.promql))
