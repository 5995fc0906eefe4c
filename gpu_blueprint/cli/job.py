"""``job``: print a Job of a tenant as YAML for kubectl: a training run, or the build of a model's plans."""

import argparse
from collections.abc import Callable, Iterator

import yaml

from ..config import Pool, StackConfig, Tenant
from ..config.models import ServedModel, TritonModel
from ..errors import UsageError, suggest
from ..loading import list_stacks, open_stack
from ..serving.engines import build_engine_job, list_advice, list_plans, list_source_mounts
from ..storage.mounts import Mount
from .training_run import print_run, refuse_words_of_a_run


def run(arguments: argparse.Namespace) -> int:
    """Print the Job below comments with what people still do themselves."""
    if arguments.stack not in list_stacks():
        raise UsageError(
            f"there is no stack {arguments.stack!r}; {suggest(arguments.stack, list_stacks(), 'there are')}"
        )
    config = open_stack(arguments.stack, bounded=False).config
    if arguments.build_engine is None:
        return print_run(config, arguments)
    refuse_words_of_a_run(arguments)
    pool, tenant = _find_pool(config, arguments.pool), _find_tenant(config, arguments.tenant)
    model = _find_plans(config, pool, tenant, arguments.build_engine)
    _refuse_other_gpus(config, pool, model)
    job = build_engine_job(config, pool, model, _find_writable(config, pool, tenant, model))
    advice = [*_warn_of_running_plans(config, model), *list_advice(model)]
    print("".join(f"# {line}\n" for line in advice) + yaml.safe_dump(job, sort_keys=False), end="")
    return 0


def _find_pool(config: StackConfig, name: str) -> Pool:
    if name not in config.gpu_pools_by_name:
        raise UsageError(f"there is no GPU pool {name!r}; {suggest(name, config.gpu_pools_by_name, 'there are')}")
    return config.gpu_pools_by_name[name]


def _find_tenant(config: StackConfig, name: str) -> Tenant:
    tenants = {tenant.name: tenant for tenant in config.tenants}
    if name not in tenants:
        raise UsageError(f"--tenant: there is no tenant {name!r}; {suggest(name, tenants, 'there are')}")
    return tenants[name]


def _find_plans(config: StackConfig, pool: Pool, tenant: Tenant, name: str) -> TritonModel:
    """Return the version of a model by the name of its Deployment, or of the model if it has one version.

    Teams may have models of one name: then the model in the pool is meant, and then the tenant's own. Or the owner
    stands before the name with a slash.
    """
    known: dict[str, list[ServedModel]] = {}
    for model in config.models:
        versions = model.list_versions()
        for version in versions:
            known.setdefault(version.deployment, []).append(version)
        if model.version:
            known.setdefault(model.name, []).extend(versions)
    owner, _, bare = name.rpartition("/")
    found = [version for version in known.get(bare, []) if owner in ("", version.tenant)]
    if not found:
        raise UsageError(f"--build-engine: there is no model {name!r}; {suggest(bare, known, 'there are')}")
    found = _choose(found, lambda version: version.pool == pool.name)
    found = found if owner else _choose(found, lambda version: version.tenant == tenant.name)
    if len(found) > 1:
        names = [version.deployment for version in found]
        if len({version.tenant for version in found}) > 1:
            names = [f"{version.tenant}/{version.deployment}" for version in found]
        raise UsageError(f"--build-engine: {name} may mean several; give {' or '.join(names)}")
    (chosen,) = found
    if not isinstance(chosen, TritonModel) or not list_plans(chosen):
        raise UsageError(f"--build-engine: {name} has no model of format tensorrt, so there is no plan to build")
    return chosen


def _choose(versions: list[ServedModel], fits: Callable[[ServedModel], bool]) -> list[ServedModel]:
    """Return the versions that fit, or all if none does: another rule then says why the version cannot be built."""
    return [version for version in versions if fits(version)] or versions


def _warn_of_running_plans(config: StackConfig, chosen: TritonModel) -> Iterator[str]:
    """Yield a sentence if a next version stands beside the version whose plans are built."""
    for model in config.models:
        present, *following = model.list_versions()
        if following and (present.tenant, present.deployment) == (chosen.tenant, chosen.deployment):
            yield (
                f"this replaces the plans of the version that runs; --build-engine {following[0].deployment} builds "
                "those of the next"
            )


def _refuse_other_gpus(config: StackConfig, pool: Pool, model: TritonModel) -> None:
    """Refuse GPUs on which the plan of the model would not run."""
    if pool.name != model.pool:
        reason = f"{model.name} runs in pool {model.pool}, and a plan runs only on the GPU that built it"
        raise UsageError(f"{reason}; give {model.pool}")
    gpus = sorted({row.gpu.name for row in config.list_named_instances(pool)})
    if len(gpus) > 1:
        raise UsageError(
            f"pool {pool.name} has several GPU models, {', '.join(gpus)}, and a plan runs on one; give it one"
        )


def _find_writable(config: StackConfig, pool: Pool, tenant: Tenant, model: TritonModel) -> Mount:
    """Return the mount by which a tenant writes into the model's storage."""
    mounts = list_source_mounts(config, model)
    writers = [mount.tenant.name for mount in mounts if mount.may_write]
    if tenant.name not in writers:
        hint = f"give {' or '.join(writers)}" if writers else f"grant a tenant write in storage {model.source.storage}"
        raise UsageError(f"--tenant: {tenant.name} may not write into {model.source.storage}; {hint}")
    if not tenant.may_use(pool.name):
        hint = f"add {pool.name} to the gpus of {tenant.name}"
        raise UsageError(f"--tenant: {tenant.name} has no quota in pool {pool.name}; {hint}")
    return next(mount for mount in mounts if mount.tenant.name == tenant.name)
