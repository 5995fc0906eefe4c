"""Questions about one tenant: its grants, its quota, the pools of others, and pods without GPU."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from lab.scene import Manifest

from ..catalog import find_instance
from ..config import Pool, StackConfig, Tenant
from .expectations import expect_managed_node, expect_no_gpu_node, expect_not_in, expect_pool, expect_refusal
from .outcome import Expectation, Fate, Outcome
from .pods import build_cpu_pod, build_gpu_pod
from .pool_probes import build_filling_pods, find_least, send_pods
from .probe import Phase, Probe
from .stage import Stage

_CRITICAL = "system-node-critical"
_KEYLESS: list[dict[str, str]] = [{"operator": "Exists"}]


def list_tenant_probes(config: StackConfig, tenant: Tenant) -> Iterator[Probe]:
    """Yield every question about a tenant."""
    for pool in config.pools:
        if tenant.may_use(pool.name):
            yield _ask_in_grant(config, tenant, pool)
            yield _ask_over_quota(config, tenant, pool)
        else:
            yield _ask_without_grant(config, tenant, pool)
    yield from _send_cpu_pods(config, tenant)
    yield from _send_critical_pod(config, tenant)


def _make(tenant: Tenant, name: str, title: str, expected: Expectation, *pods: Manifest) -> Probe:
    """Build a probe that sends pods to the tenant's namespace."""
    return Probe(
        name=f"{tenant.name}/{name}",
        subject=f"tenant {tenant.name}",
        title=title,
        phase=Phase.TENANTS,
        expected=expected,
        play=partial(send_pods, pods),
    )


def _build_pod(config: StackConfig, tenant: Tenant, pool: Pool, name: str, limits: Any = None) -> dict[str, Any]:
    full_name = f"{tenant.name}-{name}-{pool.name}"
    return build_gpu_pod(config, pool, full_name, limits, namespace=tenant.namespace_name)


def _ask_in_grant(config: StackConfig, tenant: Tenant, pool: Pool) -> Probe:
    pod = _build_pod(config, tenant, pool, "in", _find_granted_unit(tenant, pool))
    return _make(tenant, f"in-{pool.name}", f"a pod in {pool.name}", expect_pool(pool.name), pod)


def _find_granted_unit(tenant: Tenant, pool: Pool) -> dict[str, int] | None:
    """Return one of the first resource that the tenant has a quota of; None for a node of a pool with EFA."""
    if pool.multi_node:
        return None
    counts = pool.count_by_unit(tenant.gpus[pool.name])
    return {next(pool.profile.units[unit] for unit, count in counts.items() if count): 1}


def _ask_over_quota(config: StackConfig, tenant: Tenant, pool: Pool) -> Probe:
    """Ask for one more than the whole quota of the resource, which may be summed over several pools."""
    resource = next(iter(_find_granted_unit(tenant, pool) or find_least(pool)))
    count = config.sum_quota(tenant)[resource] + 1
    pod = _build_pod(config, tenant, pool, "over", {resource: count})
    title = f"{count} {resource.rpartition('/')[2]}, one over the quota"
    return _make(tenant, f"over-{pool.name}", title, expect_refusal("quota"), pod)


def _ask_without_grant(config: StackConfig, tenant: Tenant, pool: Pool) -> Probe:
    """Ask for a pool of others as its own tenants do, with its label and its tolerations."""
    pod = _build_pod(config, tenant, pool, "foreign")
    title = f"a pod in {pool.name}, which is not granted"
    return _make(tenant, f"foreign-{pool.name}", title, expect_not_in(pool.name), pod)


def _send_cpu_pods(config: StackConfig, tenant: Tenant) -> Iterator[Probe]:
    """Yield pods without GPU: a small pod, and a pod that tolerates every taint and is larger than a system node."""
    small = build_cpu_pod(f"{tenant.name}-cpu", tenant.namespace_name)
    yield _make(tenant, "cpu", "a pod without GPU", expect_managed_node(), small)
    large = _find_large_cpu_request(config)
    pod = build_cpu_pod(f"{tenant.name}-keyless", tenant.namespace_name, large, tolerations=_KEYLESS)
    title = f"{large} CPUs without GPU, tolerating every taint"
    yield _make(tenant, "keyless-toleration", title, expect_no_gpu_node("runs on no GPU node"), pod)


def _find_large_cpu_request(config: StackConfig) -> int:
    """Return one CPU more than the largest system node has."""
    return 1 + max(find_instance(name).vcpu for name in config.cluster.system_nodes.instance_types)


def _send_critical_pod(config: StackConfig, tenant: Tenant) -> Iterator[Probe]:
    """Yield a pod that claims the priority of system pods while its pool is full of other pods."""
    pool = next((pool for pool in config.pools if tenant.may_use(pool.name) and not pool.static_nodes), None)
    if pool is None:
        return
    filling = build_filling_pods(config, pool)
    pod = _build_pod(config, tenant, pool, "critical", _find_granted_unit(tenant, pool))
    pod["spec"]["priorityClassName"] = _CRITICAL

    def play(stage: Stage) -> Outcome:
        before = {fate.name for fate in stage.send(filling).pods if fate.fate is Fate.RUNS}
        outcome = stage.send([pod])
        alive = {
            found["metadata"]["name"] for found in stage.look().pods if "deletionTimestamp" not in found["metadata"]
        }
        notes = tuple(f"{name} is preempted" for name in sorted(before - alive))
        return Outcome(pods=outcome.pods, seconds=outcome.seconds, notes=notes)

    yield Probe(
        name=f"{tenant.name}/critical-priority",
        subject=f"tenant {tenant.name}",
        title=f"a pod with {_CRITICAL} while {pool.name} is full",
        phase=Phase.CEILING,
        expected=expect_refusal("priority"),
        play=play,
        alone_in=frozenset({pool.name}),
    )
