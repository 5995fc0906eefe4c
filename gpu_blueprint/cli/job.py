"""``job``: print a Job of a tenant as YAML for kubectl: with ``--build-engine``, the build of a model's plans."""

import argparse

import yaml

from ..config import Pool, StackConfig, Tenant
from ..config.models import ServedModel, TritonModel
from ..errors import UsageError, suggest
from ..loading import list_stacks, open_stack
from ..serving.engines import build_engine_job, list_advice, list_plans, list_source_mounts
from ..storage.mounts import Mount


def run(arguments: argparse.Namespace) -> int:
    """Print the Job below comments with what people still do themselves."""
    if arguments.stack not in list_stacks():
        raise UsageError(
            f"there is no stack {arguments.stack!r}; {suggest(arguments.stack, list_stacks(), 'there are')}"
        )
    config = open_stack(arguments.stack, bounded=False).config
    pool, tenant = _find_pool(config, arguments.pool), _find_tenant(config, arguments.tenant)
    model = _find_plans(config, arguments.build_engine)
    _refuse_other_gpus(config, pool, model)
    job = build_engine_job(config, pool, model, _find_writable(config, pool, tenant, model))
    print("".join(f"# {line}\n" for line in list_advice(model)) + yaml.safe_dump(job, sort_keys=False), end="")
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


def _find_plans(config: StackConfig, name: str) -> TritonModel:
    """Return the model of a name, or the version whose Deployment has the name."""
    known: dict[str, ServedModel] = {}
    for model in config.models:
        versions = model.list_versions()
        known |= {version.deployment: version for version in versions} | {model.name: versions[0]}
    if name not in known:
        raise UsageError(f"--build-engine: there is no model {name!r}; {suggest(name, known, 'there are')}")
    found = known[name]
    if not isinstance(found, TritonModel) or not list_plans(found):
        raise UsageError(f"--build-engine: {name} has no model of format tensorrt, so there is no plan to build")
    return found


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
