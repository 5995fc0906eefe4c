"""Pools, tenants, services and models as rows of plain text; a cell may have several lines."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from ...config import StackConfig
from ...cost.promises import list_promises
from ...readiness.start_times import StartTime, list_start_times
from ...readiness.words import write_phase, write_seconds
from ...records import Record, field
from ...sharing import WHOLE_GPU
from ...summary.cpu_pools import CpuPoolSummary, summarize_cpu_pools
from ...summary.models import ModelSummary, note_model_starts, summarize_models
from ...summary.promises import format_quantity
from ...summary.queues import QueueSummary, summarize_queues
from ...summary.stack import (
    PoolSummary,
    ServiceSummary,
    TenantSummary,
    summarize_pool,
    summarize_service,
    summarize_tenant,
)
from ...summary.start_times import note_start_times
from ...summary.storage import StorageSummary, summarize_storage
from .model_rows import MODEL_HEADERS, list_model_rows, list_model_start_rows


class PlainTable(Record):
    """A table of plain text, which the terminal and Markdown format differently."""

    title: str
    headers: tuple[str, ...]
    rows: list[tuple[str, ...]]
    sums: list[tuple[str, ...]] = field(default_factory=list)
    """Rows at the end that add up the rows above."""
    notes: list[str] = field(default_factory=list)
    """Sentences below the table."""


def build_tables(config: StackConfig) -> list[PlainTable]:
    """Return the tables of a preview. A stack without tenants, services or models has no table of them."""
    tables = [build_pool_table(config)]
    if config.cpu_pools:
        tables.append(build_cpu_pool_table(config))
    if config.tenants:
        tables.append(build_tenant_table(config))
    if queues := summarize_queues(config):
        tables.append(build_queue_table(queues))
    if config.services:
        tables.append(build_service_table(config))
    if models := summarize_models(config):
        tables.append(build_model_table(models))
    starts = [*list_start_times(config)]
    if starts or models:
        tables.append(build_start_table(config, starts, models))
    if config.storage:
        tables.append(build_storage_table(config))
    tables.append(build_promise_table(config))
    return tables


def build_pool_table(config: StackConfig) -> PlainTable:
    """Return a row for each pool."""
    headers = ("pool", "GPU and instance types", "bought", "a node hands out", "ceiling")
    return PlainTable("GPU pools", headers, [_format_pool(summarize_pool(config, pool)) for pool in config.gpu_pools])


def build_tenant_table(config: StackConfig) -> PlainTable:
    """Return a row for each tenant, and the sum of their quotas."""
    headers = ("tenant", "GPU quota by pool", "counted as", "CPU", "memory", "members")
    tenants = [summarize_tenant(config, tenant) for tenant in config.tenants]
    ceilings = {name: count for name, count in config.exposed_resources.items() if count}
    sums = [
        f"{sum(tenant.quota.get(name, 0) for tenant in tenants)} of {most} {_shorten_name(name)}"
        for name, most in ceilings.items()
    ]
    rows = [_format_tenant(config, tenant) for tenant in tenants]
    return PlainTable("Tenants", headers, rows, [("all", "", "\n".join(sums), "", "", "")])


def build_queue_table(queues: Sequence[QueueSummary]) -> PlainTable:
    """Return a row for each tenant in each queued pool, counted in the resource of the pool."""
    headers = ("queue of", "pool", "counted in", "own", "may borrow", "alone", "when all ask", "weight", "$ an hour")
    return PlainTable("Queues", headers, [_format_queue(queue) for queue in queues], notes=[*_note_queues(queues)])


def _note_queues(queues: Sequence[QueueSummary]) -> Iterator[str]:
    """Yield the meaning of the mark, and the pools in which nobody can borrow."""
    if any(queue.is_capped for queue in queues):
        yield "* the hourlyCeiling of the team buys no more"
    lent = {queue.pool for queue in queues if queue.may_borrow}
    if lonely := [pool for pool in dict.fromkeys(queue.pool for queue in queues) if pool not in lent]:
        yield f"nobody can borrow in {', '.join(lonely)}: fair shares, weights and borrow change nothing there"


def _format_queue(queue: QueueSummary) -> tuple[str, ...]:
    contended = queue.when_all_ask + queue.first_come
    most = f" to {contended}" if queue.first_come else ""
    mark = " *" if queue.is_capped else ""
    return (
        queue.tenant,
        queue.pool,
        _shorten_name(queue.resource),
        str(queue.own),
        str(queue.may_borrow),
        f"{queue.alone}{mark}",
        f"{queue.when_all_ask}{most}{mark if contended == queue.alone else ''}",
        f"{queue.weight:g}",
        "no limit" if queue.hourly_ceiling is None else f"≤ {queue.hourly_ceiling:,.2f}",
    )


def build_cpu_pool_table(config: StackConfig) -> PlainTable:
    """Return a row for each CPU pool."""
    headers = ("pool", "instance types", "bought", "ceiling")
    return PlainTable("CPU pools", headers, [_format_cpu_pool(pool) for pool in summarize_cpu_pools(config)])


def _format_cpu_pool(pool: CpuPoolSummary) -> tuple[str, ...]:
    made = [] if pool.is_stated else ["made by the platform for all quotas, since the file names no CPU pool"]
    return (
        pool.name,
        "\n".join([shorten_types(pool.instance_types), f"{pool.arch}, {pool.ami}", *made]),
        " → ".join(pool.purchase),
        "\n".join([f"{pool.max_cpus} vCPUs", _format_price(pool)]),
    )


def build_model_table(models: Sequence[ModelSummary]) -> PlainTable:
    """Return a row for each version of each model."""
    return PlainTable("Models", MODEL_HEADERS, [*list_model_rows(models)])


def build_start_table(
    config: StackConfig, starts: Sequence[StartTime], models: Sequence[ModelSummary] = ()
) -> PlainTable:
    """Return a row for each pool that states what its pods wait for, and for each version of a model."""
    headers = ("pod of" if models else "pool", "new node", "image", "weights", "warm-up", "pod ready after")
    rows = [
        (
            start.pool,
            *map(write_phase, (start.node, start.image, start.weights)),
            write_seconds(start.warmup.seconds),
            f"about {write_seconds(start.seconds)}",
        )
        for start in starts
    ]
    known = [version.start for model in models for version in model.versions if version.start]
    notes = [*note_start_times(config, [*starts, *known]), *note_model_starts(config, models)]
    return PlainTable("Start times", headers, [*rows, *list_model_start_rows(models)], notes=notes)


def build_promise_table(config: StackConfig) -> PlainTable:
    """Return everything that is promised beside the room of the nodes at the ceilings."""
    headers = ("promised in", "resource", "at most", "always at work", "offered at the ceiling")
    rows: list[tuple[str, ...]] = [
        (
            promise.pool,
            promise.resource.removeprefix("nvidia.com/"),
            format_quantity(promise.resource, promise.promised) if promise.tenants else "",
            format_quantity(promise.resource, promise.always) if promise.always else "",
            format_quantity(promise.resource, promise.offered),
        )
        for promise in list_promises(config)
        if promise.promised or promise.always
    ]
    return PlainTable("Promises", headers, rows)


def build_service_table(config: StackConfig) -> PlainTable:
    """Return a row for each service."""
    headers = ("Deployment", "pool", "server", "replicas", "scales on")
    return PlainTable(
        "Services", headers, [_format_service(summarize_service(config, service)) for service in config.services]
    )


def build_storage_table(config: StackConfig) -> PlainTable:
    """Return a row for each storage."""
    headers = ("storage", "kind", "holds", "read by", "written by", "cost")
    return PlainTable("Storage", headers, [*map(_format_storage, summarize_storage(config))])


def _format_storage(storage: StorageSummary) -> tuple[str, ...]:
    readers = "\n".join(mount.tenant for mount in storage.mounts if mount.access == "read")
    writers = "\n".join(
        f"{mount.tenant}, new files alone" if mount.access == "add" else mount.tenant
        for mount in storage.mounts
        if mount.access != "read"
    )
    return (storage.name, storage.kind, storage.holds, readers, writers, storage.cost)


def _format_pool(pool: PoolSummary) -> tuple[str, ...]:
    handed = [f"= {count} {_shorten_name(name)}" for name, count in pool.ceiling.items() if name != WHOLE_GPU]
    facts = [
        f"{pool.gpu}: {shorten_types(pool.instance_types)}",
        f"{pool.sharing}, {pool.ami}",
        *([f"open {pool.hours}"] if pool.hours else []),
        *([f"headroom: {pool.headroom['pods']} × a pod"] if pool.headroom else []),
    ]
    return (
        f"{pool.name}\n{pool.purpose}",
        "\n".join(facts),
        "\n".join([" → ".join(pool.purchase), *pool.reservations]),
        "\n".join(_format_range(name, [node[name] for node in pool.per_node.values()]) for name in pool.ceiling),
        "\n".join([f"{pool.max_gpus} GPUs", *handed, _format_price(pool)]),
    )


def _format_price(pool: PoolSummary | CpuPoolSummary) -> str:
    """Return the price of the ceiling on demand, on the most expensive type."""
    price = pool.ceiling_usd_per_hour
    return "price unknown" if price is None else f"≤ ${price:,.2f}/h"


def shorten_types(types: list[str]) -> str:
    """Write a long list by family: ``g6.xlarge … 48xlarge, gr6.4xlarge, gr6.8xlarge``."""
    parts: list[str] = []
    for _, group in groupby(types, key=lambda name: name.split(".")[0]):
        names = list(group)
        parts += names if len(names) < 3 else [f"{names[0]} … {names[-1].split('.')[1]}"]
    return ", ".join(parts)


def _format_range(name: str, counts: list[int]) -> str:
    low, high = min(counts), max(counts)
    return f"{low if low == high else f'{low} to {high}'} {_shorten_name(name)}"


def _shorten_name(name: str) -> str:
    return name.removeprefix("nvidia.com/")


def _format_tenant(config: StackConfig, tenant: TenantSummary) -> tuple[str, ...]:
    return (
        tenant.name,
        "\n".join(_list_grants(config, tenant)) or "none",
        "\n".join(f"{count} {_shorten_name(name)}" for name, count in tenant.quota.items()),
        tenant.cpu,
        tenant.memory,
        "\n".join(_list_people(tenant)),
    )


def _list_people(tenant: TenantSummary) -> Iterator[str]:
    """Yield a line for each member, viewer and service account with a role in AWS."""
    yield from (member.rsplit("/", 1)[-1] for member in tenant.members)
    yield from (f"{viewer.rsplit('/', 1)[-1]} (views)" for viewer in tenant.viewers)
    yield from (f"{identity.split(':')[0]} (in AWS)" for identity in tenant.identities)


def _list_grants(config: StackConfig, tenant: TenantSummary) -> Iterator[str]:
    """Yield a line for each pool: ``infer-l4: 64 of 64 gpu.shared``."""
    for name, amount in tenant.gpus.items():
        pool = config.gpu_pools_by_name[name]
        ceiling, units = pool.profile.count_at_ceiling(pool.max_gpus), pool.profile.units
        counts = [
            f"{count} of {ceiling[units[unit]]} {_shorten_name(units[unit])}"
            for unit, count in pool.count_by_unit(amount).items()
        ]
        yield f"{name}: {', '.join(counts)}"


def _format_service(service: ServiceSummary) -> tuple[str, ...]:
    return (
        f"{service.namespace}/{service.name}",
        service.pool,
        service.server or "",
        f"{service.min_replicas} to {service.max_replicas}",
        "\n".join(service.scales_on),
    )
