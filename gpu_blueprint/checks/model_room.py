"""CPU, memory and pods of models, compared with the quotas of their tenants: the platform knows each replica's room."""

from collections import Counter
from collections.abc import Iterator

from ..config import StackConfig, Tenant
from ..config.pod_rooms import find_pod_room
from ..config.sizes import read_room
from ..errors import Path, Problem
from ..serving.memory import count_devices
from .model_versions import PlacedVersion, list_versions
from .pod_requests import refuse_request


def name_room(tenant: str) -> str:
    """Return the name by which a problem depends on the CPU and memory of a tenant."""
    return f"room of {tenant}"


_Amounts = dict[str, float]
_UNITS = {"cpu": ("CPUs", 1000), "memory": ("GiB of memory", 1024), "pods": ("pods", 1)}
"""Field of a quota → words, and the number of its smallest units in one word's unit."""


def refuse_models_above_room(stack: StackConfig) -> Iterator[Problem]:
    """Refuse models whose replicas exceed the CPU, memory or pods of their tenant: the quota would refuse the rest.

    The least replicas of all models of a tenant are counted together, the most replicas of each model by itself.
    """
    tenants = {tenant.name: tenant for tenant in stack.tenants}
    at_least: dict[str, Counter[str]] = {}
    for version in list_versions(stack):
        tenant, model = tenants.get(version.model.tenant), version.model
        if tenant is None or any(refuse_request(stack, version.pool, model.gpus)):
            continue
        most = _sum_up(stack, version, model.replicas.max)
        path = ("models", version.index, "replicas", "max")
        found = list(_compare(tenant, most, path, f"{model.replicas.max} replicas request"))
        least = at_least.setdefault(tenant.name, Counter())
        before = _exceeds(tenant, dict(least))
        least.update(_sum_up(stack, version, model.replicas.min))
        if not found and not before:
            words = f"with it, the models of {tenant.name} always request"
            found = list(_compare(tenant, dict(least), (*path[:-1], "min"), words))
        yield from found


def _sum_up(stack: StackConfig, version: PlacedVersion, replicas: int) -> _Amounts:
    """Return what some replicas request."""
    room = find_pod_room(stack, version.pool, count_devices(version.model.gpus)).room
    return {"cpu": room.cpu_milli * replicas, "memory": room.memory_mib * replicas, "pods": replicas}


def _read_quota(tenant: Tenant) -> _Amounts:
    room = read_room(tenant.cpu, tenant.memory)
    return {"cpu": room.cpu_milli, "memory": room.memory_mib, "pods": tenant.pods}


def _exceeds(tenant: Tenant, requested: _Amounts) -> bool:
    quota = _read_quota(tenant)
    return any(amount > quota[field] for field, amount in requested.items())


def _compare(tenant: Tenant, requested: _Amounts, path: Path, words: str) -> Iterator[Problem]:
    """Yield a problem for the first quota that the requests exceed."""
    quota = _read_quota(tenant)
    for field, (unit, size) in _UNITS.items():
        if requested.get(field, 0) > quota[field]:
            reason = f"{words} {requested[field] / size:g} {unit}, and the quota of {tenant.name} is "
            hint = f"lower it, or raise {field} of {tenant.name}"
            names = (tenant.name, name_room(tenant.name))
            yield Problem("model-above-quota", path, f"{reason}{quota[field] / size:g}", hint, names=names)
            return
