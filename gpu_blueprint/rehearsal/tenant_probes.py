"""Questions about one tenant: its grants, its quota, the pools of others, and pods without GPU."""

from collections.abc import Iterator
from functools import partial

from lab.scene import Manifest

from ..catalog import find_instance
from ..config import Pool, StackConfig, Tenant
from .ceiling_probes import list_critical_probes
from .expectations import (
    expect_any_pool,
    expect_no_gpu_node,
    expect_not_in,
    expect_pending,
    expect_pool,
    expect_quota_refusal,
)
from .outcome import Expectation
from .pods import build_cpu_pod, build_tenant_pod, find_granted
from .pool_probes import send_pods
from .probe import Phase, Probe

_KEYLESS: list[dict[str, str]] = [{"operator": "Exists"}]


def list_tenant_probes(config: StackConfig, tenant: Tenant) -> Iterator[Probe]:
    """Yield every question about a tenant."""
    for pool in config.gpu_pools:
        if tenant.may_use(pool.name):
            yield _ask_in_grant(config, tenant, pool)
            yield _ask_over_quota(config, tenant, pool)
        else:
            yield _ask_without_grant(config, tenant, pool)
    yield _send_small_cpu_pod(config, tenant)
    yield from _send_large_cpu_pods(config, tenant)
    yield from list_critical_probes(config, tenant)


def _make(tenant: Tenant, name: str, title: str, expected: Expectation, pod: Manifest) -> Probe:
    """Build a probe that sends a pod to the tenant's namespace."""
    return Probe(
        name=f"{tenant.name}/{name}",
        subject=f"tenant {tenant.name}",
        title=title,
        phase=Phase.TENANTS,
        expected=expected,
        play=partial(send_pods, (pod,)),
    )


def _ask_in_grant(config: StackConfig, tenant: Tenant, pool: Pool) -> Probe:
    pod = build_tenant_pod(config, tenant, pool, "in")
    return _make(tenant, f"in-{pool.name}", f"a pod in {pool.name}", expect_pool(pool.name), pod)


def _ask_over_quota(config: StackConfig, tenant: Tenant, pool: Pool) -> Probe:
    """Ask for one more than the whole quota of the resource, which may be summed over several pools."""
    resource = next(iter(find_granted(tenant, pool)))
    count = config.sum_quota(tenant)[resource] + 1
    pod = build_tenant_pod(config, tenant, pool, "over", {resource: count})
    title = f"{count} {resource.rpartition('/')[2]}, one over the quota"
    return _make(tenant, f"over-{pool.name}", title, expect_quota_refusal(resource), pod)


def _ask_without_grant(config: StackConfig, tenant: Tenant, pool: Pool) -> Probe:
    """Ask for a pool of others as its own tenants do, with its label and its tolerations."""
    pod = build_tenant_pod(config, tenant, pool, "foreign")
    title = f"a pod in {pool.name}, which is not granted"
    return _make(tenant, f"foreign-{pool.name}", title, expect_not_in(pool.name), pod)


def _send_small_cpu_pod(config: StackConfig, tenant: Tenant) -> Probe:
    """Send a pod that tolerates no taint: it runs in a CPU pool without taints, or waits if there is none."""
    pod = build_cpu_pod(f"{tenant.name}-cpu", tenant.namespace_name, "50m")
    open_pools = [pool.name for pool in config.cpu_pools if not pool.keeps_pods_out]
    expected = expect_any_pool(open_pools) if open_pools else expect_pending()
    return _make(tenant, "cpu", "a pod without GPU", expected, pod)


def _send_large_cpu_pods(config: StackConfig, tenant: Tenant) -> Iterator[Probe]:
    """Yield a pod that tolerates every taint and is larger than a system node, if the tenant's quotas let it in."""
    cpus = 1 + max(find_instance(name).vcpu for name in config.cluster.system_nodes.instance_types)
    if int(tenant.cpu) <= cpus:
        return
    pod = build_cpu_pod(f"{tenant.name}-keyless", tenant.namespace_name, str(cpus), tolerations=_KEYLESS)
    title = f"{cpus} CPUs without GPU, tolerating every taint"
    yield _make(tenant, "keyless-toleration", title, expect_no_gpu_node(), pod)
