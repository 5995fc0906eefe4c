"""What tenants may have, held against what the pools can give."""

from collections import Counter
from collections.abc import Iterator

from ..config.pools import Pool
from ..config.stack import StackConfig
from ..config.tenants import GpuAmount
from ..errors import Problem, near
from ..sharing import WHOLE_GPU, Mig


def quota_problems(stack: StackConfig) -> Iterator[Problem]:
    """Yield quotas that cannot be reached or mean nothing; the stack's pools must be without problems."""
    for index, tenant in enumerate(stack.tenants):
        for name, grant in tenant.gpus.items():
            path = ("tenants", index, "gpus", name)
            if name not in stack.pools_by_name:
                yield Problem("todo", path, f"there is no pool {name!r} {near(name, stack.pools_by_name, 'there are')}")
                continue
            yield from (problem.under(*path) for problem in grant_problems(stack.pools_by_name[name], grant))


def grant_problems(pool: Pool, grant: GpuAmount) -> Iterator[Problem]:
    """Yield why so much of a pool can never be had, or does not say of what."""
    units = pool.profile.units
    if isinstance(grant, int) and len(units) > 1:
        yield Problem(
            "todo",
            (),
            f"pool {pool.name} hands out {', '.join(units)}: say how many of each, such as {{{next(iter(units))}: {grant}}}",
        )
        return
    ceiling = pool.profile.ceiling(pool.max_gpus)
    for unit, count in pool.by_unit(grant).items():
        path = (unit,) if isinstance(grant, dict) else ()
        if unit not in units:
            yield Problem("todo", path, f"pool {pool.name} hands out no {unit!r} {near(unit, units, 'it hands out')}")
        elif count > ceiling[units[unit]]:
            yield Problem(
                "todo",
                path,
                f"{count} can never be reached: {pool.max_gpus} GPUs hand out {ceiling[units[unit]]} {units[unit]}; "
                f"lower it or raise maxGpus of pool {pool.name}",
            )


def name_problems(stack: StackConfig) -> Iterator[Problem]:
    """Yield pools whose pods could land on a slice where they mean a whole GPU: same name, same taint."""
    open_pools = [
        (i, pool) for i, pool in enumerate(stack.pools) if WHOLE_GPU in pool.profile.per_device and not pool.taints
    ]
    whole = [pool.name for _, pool in open_pools if not isinstance(pool.sharing, Mig)]
    for index, pool in open_pools:
        if isinstance(pool.sharing, Mig) and whole:
            yield Problem(
                "todo",
                ("pools", index, "taints"),
                f"its slices are called {WHOLE_GPU} on Bottlerocket, as are the whole GPUs of {', '.join(whole)}: pods could "
                "land on the wrong ones; give the pool a taint of its own, or use ami.family al2023, where slices have names",
            )


def quota_warnings(stack: StackConfig) -> Iterator[Problem]:
    """Yield what is legal but surprises: promises above a ceiling, and names that do not tell pools apart."""
    promised: Counter[str] = Counter()
    for tenant in stack.tenants:
        promised.update(stack.quota_of(tenant))
    ceilings = stack.exposed_resources
    for name, count in promised.items():
        if count > ceilings[name]:
            yield Problem(
                "todo",
                ("tenants",),
                f"quotas promise {count} {name}, the pools' ceilings allow {ceilings[name]}: teams will wait for each other",
                severity="warning",
            )
    for name, pools in _pools_by_resource(stack).items():
        if len({(pool.model.name, pool.profile.summary) for pool in pools if not pool.taints}) > 1:
            listed = ", ".join(
                f"{pool.name} ({pool.model.product}, {pool.profile.summary})" for pool in pools if not pool.taints
            )
            yield Problem(
                "todo",
                ("pools",),
                f"{listed} all hand out {name}: a quota counts the name, and a pod without nodeSelector "
                "gpu-blueprint/pool may land on the dearest; give pools a taint of their own",
                severity="warning",
            )
    granted = {(tenant.name, pool) for tenant in stack.tenants for pool in tenant.gpus}
    for pool in stack.pools:
        if stack.tenants and not any(name == pool.name for _, name in granted):
            yield Problem(
                "todo",
                ("pools",),
                f"no tenant has a quota for {pool.name}: nobody but admins can use it",
                severity="warning",
            )


def _pools_by_resource(stack: StackConfig) -> dict[str, list[Pool]]:
    by_name: dict[str, list[Pool]] = {}
    for pool in stack.pools:
        for name in pool.profile.per_device:
            by_name.setdefault(name, []).append(pool)
    return by_name
