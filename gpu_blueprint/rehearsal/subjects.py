"""The questions that each subject of a stack raises on real engines."""

from collections.abc import Callable, Iterator, Mapping

from ..config import StackConfig
from ..subject import Subject
from .probe import Probe
from .probes.broken import list_broken_probes
from .probes.ceilings import list_ceiling_probes
from .probes.cpu_pools import list_cpu_pool_probes
from .probes.interruptions import list_change_probes
from .probes.models import list_model_probes
from .probes.pools import list_pool_probes
from .probes.queues import list_queue_probes
from .probes.services import list_service_probes
from .probes.static import list_static_probes
from .probes.storage import list_mount_probes
from .probes.tenants import list_tenant_probes


def _ask_pools(config: StackConfig) -> Iterator[Probe]:
    for pool in config.gpu_pools:
        yield from (list_static_probes if pool.static_nodes else list_pool_probes)(config, pool)
        yield from list_ceiling_probes(config, pool)
        if not pool.static_nodes:
            yield from list_change_probes(config, pool)
            yield from list_broken_probes(config, pool)
    for cpu_pool in config.cpu_pools:
        yield from list_cpu_pool_probes(config, cpu_pool)


def _ask_queues(config: StackConfig) -> Iterator[Probe]:
    for pool in config.gpu_pools:
        yield from list_queue_probes(config, pool)


def _ask_tenants(config: StackConfig) -> Iterator[Probe]:
    for tenant in config.tenants:
        yield from list_tenant_probes(config, tenant)


def _ask_storage(config: StackConfig) -> Iterator[Probe]:
    for tenant in config.tenants:
        yield from list_mount_probes(config, tenant)


def _ask_models(config: StackConfig) -> Iterator[Probe]:
    for model in config.models:
        yield from list_model_probes(config, model)


PROBES: Mapping[Subject, Callable[[StackConfig], Iterator[Probe]]] = {
    "pools": _ask_pools,
    "queues": _ask_queues,
    "tenants": _ask_tenants,
    "storage": _ask_storage,
    "services": list_service_probes,
    "models": _ask_models,
}
"""Subject → its questions."""


def list_probes(config: StackConfig) -> list[Probe]:
    """Return every question that a stack raises, in the order of the report: all of a pool or a tenant together."""
    probes = [probe for ask in PROBES.values() for probe in ask(config)]
    about = list(dict.fromkeys(probe.subject for probe in probes))
    return sorted(probes, key=lambda probe: about.index(probe.subject))
