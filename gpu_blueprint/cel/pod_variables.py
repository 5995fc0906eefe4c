"""The CEL variables that the rules about pods share: what the stack grants, and what a pod requests."""

from collections.abc import Mapping

from ..config import StackConfig, Tenant
from ..sharing import POOL_KEY
from .literals import write_literal
from .pod_subject import PodSubject

_IS_POSITIVE = "quantity(string(q)).isGreaterThan(quantity('0'))"
QUEUED_KINDS = ("Job", "JobSet", "TrainJob", "RayJob")
"""Kinds that Kueue holds suspended until it admits them."""
TIMED_KINDS = ("CronJob", "RayCronJob")
"""Kinds whose controllers make jobs on a schedule."""
IS_QUEUED_KIND = f"object.kind in {write_literal([*QUEUED_KINDS, *TIMED_KINDS])}"
"""CEL that is true for templates whose pods come from jobs that wait in a queue."""
ASKS = "variables.gpus.size() > 0"
"""CEL that is true if the pod requests a GPU."""


def list_pod_variables(config: StackConfig, subject: PodSubject) -> Mapping[str, str]:
    """Return the variables that the rules about pods share: name → CEL.

    ``spec`` and ``metadata`` are the pod's. ``boxes`` are its containers and init containers; ephemeral containers
    cannot request devices. ``gpus`` are the GPU resources that the pod requests. ``granted`` are the tenant's GPU
    pools, ``grants`` is pool → resources that the tenant may request there, and ``fit`` are the pools in which it may
    request all of ``gpus``. ``pool`` is the pool that the pod names, or ''. ``target`` is the pool in which it runs:
    the named pool, or the only pool that fits.
    """
    grants = {tenant.namespace_name: list_grants(config, tenant) for tenant in config.tenants}
    return {
        "spec": subject.spec,
        "metadata": subject.metadata,
        "boxes": "variables.spec.?containers.orValue([]) + variables.spec.?initContainers.orValue([])",
        "gpus": _write_gpus(config, subject),
        "granted": f"{write_literal({space: list(pools) for space, pools in grants.items()})}"
        "[?request.namespace].orValue([])",
        "grants": f"{write_literal(grants)}[?request.namespace].orValue({{}})",
        "fit": "variables.granted.filter(p, variables.gpus.all(n, n in variables.grants[p]))",
        "pool": f"variables.spec.?nodeSelector[?'{POOL_KEY}'].orValue('')",
        # Where the API server has mutating policies, ours sets the only pool that fits.
        "target": _write_target(config, subject),
    }


def _write_gpus(config: StackConfig, subject: PodSubject) -> str:
    asks = write_requests("n")
    if may_hold_numbers(config, subject):
        asks = asks.replace(_IS_POSITIVE, f"type(q) == int ? dyn(q) > 0 : {_IS_POSITIVE.replace('string(q)', 'q')}")
    return f"{write_literal(list(config.exposed_resources))}.filter(n, variables.boxes.exists(c, {asks}))"


def may_hold_numbers(config: StackConfig, subject: PodSubject) -> bool:
    """Return True if quantities may be numbers, as in templates of JobSets; CEL's `string()` cannot convert these."""
    return subject.is_template and bool(config.queueing or config.spanning_pools)


def _write_target(config: StackConfig, subject: PodSubject) -> str:
    """Write CEL for the pool in which a pod runs; for a job that names no pool, the first queued pool that fits."""
    none = f"variables.pool == '' && {ASKS}"
    only = f"{none} && variables.fit.size() == 1 ? variables.fit[0] : variables.pool"
    if not chooses_pools(config, subject):
        return only
    queued = write_literal([pool.name for pool in config.queued_pools])
    first = f"(variables.fit.filter(p, p in {queued}) + variables.fit)[0]"
    return f"{none} && {IS_QUEUED_KIND} && variables.fit.size() > 0 ? {first} : {only}"


def chooses_pools(config: StackConfig, subject: PodSubject) -> bool:
    """Return True if a job may leave the pool out: the queue chooses it, and the mutating policy completes the pods."""
    return subject.is_template and config.queueing is not None and config.cluster.has_mutating_policies


def write_requests(name: str) -> str:
    """Write CEL that is true if the container ``c`` requests the resource that the expression ``name`` names.

    A limit of 0 is no request: a pod without GPUs must not tolerate the taints of GPU nodes.
    """
    return f"c.?resources.?limits[?{name}].optMap(q, {_IS_POSITIVE}).orValue(false)"


def list_grants(config: StackConfig, tenant: Tenant) -> dict[str, list[str]]:
    """Return pool → the GPU resources for which the tenant has a quota there; pools without a quota are left out.

    Pools have the order of the stack file, and resources are sorted. An order that depended on a mapping's keys would
    differ between a preview and `pulumi up`, since Pulumi's engine sorts these keys.
    """
    found = {}
    for pool in config.gpu_pools:
        counts = pool.count_by_unit(tenant.gpus.get(pool.name, 0))
        if granted := [resource for unit, resource in pool.profile.units.items() if counts.get(unit)]:
            found[pool.name] = granted
    return found
