"""The variables that the rules about pods share: the facts of the stack, and what a pod asks for."""

from collections.abc import Mapping

from ..config import StackConfig, Tenant
from ..sharing import POOL_KEY
from .cel import write_literal
from .pod_subject import PodSubject

ASKS = "variables.gpus.size() > 0"
"""CEL that is true if the pod asks for a GPU."""


def list_pod_variables(config: StackConfig, subject: PodSubject) -> Mapping[str, str]:
    """Return the variables that the rules about pods share: name → CEL.

    ``spec`` and ``metadata`` are the pod's; ``boxes`` are its containers and init containers, which alone can ask for
    devices; ``gpus`` are the GPU resources that it asks for. ``granted`` are the tenant's GPU pools, ``grants`` the
    resources that it may ask for in each, and ``fit`` the pools that hand out all of ``gpus``. ``pool`` is the pool
    that the pod names, ``target`` the pool in which it runs: the named pool, or the only pool that fits.
    """
    grants = {tenant.namespace_name: list_grants(config, tenant) for tenant in config.tenants}
    return {
        "spec": subject.spec,
        "metadata": subject.metadata,
        "boxes": "variables.spec.?containers.orValue([]) + variables.spec.?initContainers.orValue([])",
        "gpus": f"{write_literal(list(config.exposed_resources))}.filter(n, variables.boxes.exists(c, {ask_for('n')}))",
        "granted": f"{write_literal({space: list(pools) for space, pools in grants.items()})}"
        "[?request.namespace].orValue([])",
        "grants": f"{write_literal(grants)}[?request.namespace].orValue({{}})",
        "fit": "variables.granted.filter(p, variables.gpus.all(n, n in variables.grants[p]))",
        "pool": f"variables.spec.?nodeSelector[?'{POOL_KEY}'].orValue('')",
        # The mutating policy names the only pool that fits, where the API server has such policies.
        "target": f"variables.pool == '' && {ASKS} && variables.fit.size() == 1 ? variables.fit[0] : variables.pool",
    }


def ask_for(name: str) -> str:
    """Return CEL that is true if the container ``c`` asks for the resource that another expression names.

    A limit of 0 asks for nothing: it must open no GPU node to a pod without GPU.
    """
    return f"c.?resources.?limits[?{name}].optMap(q, quantity(string(q)).isGreaterThan(quantity('0'))).orValue(false)"


def list_grants(config: StackConfig, tenant: Tenant) -> dict[str, list[str]]:
    """Return pool → the GPU resources of which a tenant has a quota in it; only pools with a quota.

    The order is that of the lists in the stack file, because Pulumi's engine sorts the keys of mappings: an order of
    theirs would write other policies at `pulumi up` than in a preview.
    """
    found = {}
    for pool in config.gpu_pools:
        counts = pool.count_by_unit(tenant.gpus.get(pool.name, 0))
        if granted := [resource for unit, resource in pool.profile.units.items() if counts.get(unit)]:
            found[pool.name] = granted
    return found
