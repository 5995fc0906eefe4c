"""Rules that need two sections of a stack: functions from the config to Problems, by subject."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import date

from ..config import StackConfig
from ..problem import Problem
from ..subject import Subject
from . import (
    accounts,
    alert_receivers,
    alerts_off,
    architectures,
    buckets,
    budgets,
    capacity,
    closed_network,
    cpu_capacity,
    efa,
    egress,
    endpoints,
    existing_cluster,
    gpu_health,
    headroom,
    helm_values,
    identities,
    images,
    isolation,
    keys,
    model_caches,
    model_flags,
    model_formats,
    model_images,
    model_memory,
    model_names,
    model_pools,
    model_room,
    model_shares,
    model_sources,
    names,
    network,
    partitions,
    prepull,
    queue_ceilings,
    queue_limits,
    queue_values,
    queue_waits,
    queues,
    regions,
    reservations,
    resource_names,
    roles,
    served_weights,
    service_signals,
    services,
    sharing_values,
    sizes,
    spot,
    start_times,
    storage,
    system_nodes,
    tenancy,
    tenant_quotas,
    unused_fields,
    versions,
)
from .facet import Check, Checks, collect

CHECKS: Mapping[Subject, Checks] = {
    "cluster": collect(
        regions,
        network,
        names,
        existing_cluster,
        partitions,
        closed_network,
        endpoints,
        egress,
        roles,
        system_nodes,
        versions,
        unused_fields,
        helm_values,
    ),
    "pools": collect(
        sizes,
        resource_names,
        sharing_values,
        headroom,
        reservations,
        capacity,
        cpu_capacity,
        gpu_health,
        spot,
        architectures,
        efa,
        start_times,
    ),
    "tenants": collect(accounts, identities, tenant_quotas, tenancy, isolation),
    "queues": collect(queues, queue_limits, queue_waits, queue_ceilings, queue_values),
    "storage": collect(storage, buckets),
    "images": collect(images, prepull),
    "services": collect(services, service_signals),
    "models": collect(
        model_names,
        model_sources,
        model_formats,
        model_memory,
        model_caches,
        model_room,
        model_images,
        model_flags,
        model_pools,
        model_shares,
        served_weights,
    ),
    "monitoring": collect(alerts_off, alert_receivers),
    "keys": collect(keys),
    "money": collect(budgets),
}
"""Subject → its checks. A test finds a check that no entry has."""


def find_mismatches(stack: StackConfig) -> Iterator[Problem]:
    """Yield sections that contradict each other, also in a stack whose models have problems of their own."""
    yield from _run(stack, (check for checks in CHECKS.values() for check in checks.early))


def find_problems(stack: StackConfig) -> Iterator[Problem]:
    """Yield everything that makes a stack impossible; its models must be without problems and mismatches."""
    yield from _run(stack, (check for checks in CHECKS.values() for check in checks.refuse))


def find_warnings(stack: StackConfig, today: date) -> Iterator[Problem]:
    """Yield everything that is legal but unwise in a stack without problems, on a day."""
    yield from _run(stack, (check for checks in CHECKS.values() for check in checks.warn))
    for checks in CHECKS.values():
        for check in checks.dated:
            yield from check(stack, today)


def find_hints(stack: StackConfig) -> Iterator[Problem]:
    """Yield notes on a stack without problems, which its authors may have meant otherwise."""
    yield from _run(stack, (check for checks in CHECKS.values() for check in checks.suggest))


def _run(stack: StackConfig, checks: Iterable[Check]) -> Iterator[Problem]:
    """Yield each problem once: the two versions of a model may have the same."""
    yield from dict.fromkeys(problem for check in checks for problem in check(stack))
