"""Read NodePools and NodeOverlays of any program, ours or not."""

from collections.abc import Callable
from typing import Any

from gpu_blueprint.catalog import Instance, list_instances

from ..resources import Resource

INSTANCE_TYPE = "node.kubernetes.io/instance-type"
ZONE = "topology.kubernetes.io/zone"
_LABELS = "karpenter.k8s.aws/instance-"
_COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    "Gt": int.__gt__,
    "Lt": int.__lt__,
    "Gte": int.__ge__,
    "Lte": int.__le__,
}


def _read_category(row: Instance) -> str:
    return row.family[: len(row.family) - len(row.family.lstrip("abcdefghijklmnopqrstuvwxyz"))]


_COLUMNS: dict[str, Callable[[Instance], str | None]] = {
    INSTANCE_TYPE: lambda row: row.instance_type,
    f"{_LABELS}family": lambda row: row.family,
    f"{_LABELS}size": lambda row: row.instance_type.split(".")[1],
    f"{_LABELS}category": _read_category,
    f"{_LABELS}generation": lambda row: row.family[len(_read_category(row))],
    f"{_LABELS}gpu-name": lambda row: row.gpu.karpenter_name,
    f"{_LABELS}gpu-manufacturer": lambda _: "nvidia",
    f"{_LABELS}gpu-count": lambda row: str(row.gpu_count),
    f"{_LABELS}gpu-memory": lambda row: str(row.gpu_memory_mib),
}
"""Well-known label → its value on a node of a GPU instance type."""


def list_requirements(resource: Resource) -> list[dict[str, Any]]:
    """Return the requirements of a NodePool or a NodeOverlay."""
    return resource.compute_once(_read_requirements)


def _read_requirements(resource: Resource) -> list[dict[str, Any]]:
    path = ("spec", "requirements") if resource.kind == "NodeOverlay" else ("spec", "template", "spec", "requirements")
    return [item for item in resource.get(*path, default=[]) if item.get("key") and item.get("operator")]


def list_values(resource: Resource, key: str) -> list[str]:
    """Return the values that every ``In`` requirement of a key lists; empty if no requirement lists any."""
    lists = [
        list(requirement.get("values") or [])
        for requirement in list_requirements(resource)
        if requirement["key"] == key and requirement["operator"] == "In"
    ]
    return [value for value in lists[0] if all(value in values for values in lists)] if lists else []


def list_gpu_types(resource: Resource) -> list[Instance]:
    """Return the GPU instance types that the requirements admit; empty if no requirement is about the machine."""
    return resource.compute_once(_find_gpu_types)


def _find_gpu_types(resource: Resource) -> list[Instance]:
    about_machines = [item for item in list_requirements(resource) if item["key"] in _COLUMNS]
    rows = [row for row in list_instances().values() if row.gpu_name] if about_machines else []
    return [row for row in rows if all(_admits(item, _COLUMNS[item["key"]](row)) for item in about_machines)]


def _admits(requirement: dict[str, Any], value: str | None) -> bool:
    operator, values = requirement["operator"], [str(item) for item in requirement.get("values") or []]
    if operator in _COMPARISONS:
        return value is not None and value.isdecimal() and _COMPARISONS[operator](int(value), int(values[0]))
    return {
        "In": value in values,
        "NotIn": value not in values,
        "Exists": value is not None,
        "DoesNotExist": value is None,
    }[operator]


def list_unknown_types(resource: Resource) -> list[str]:
    """Return the instance types that the requirements name and the catalogue lacks."""
    return [name for name in list_values(resource, INSTANCE_TYPE) if name not in list_instances()]


def is_gpu_pool(pool: Resource) -> bool:
    """Tell whether a NodePool may launch GPU nodes."""
    return bool(list_gpu_types(pool))


def read_label(pool: Resource, key: str) -> str:
    """Return a label of the NodePool or of its nodes; empty if neither has it."""
    for path in (("metadata", "labels"), ("spec", "template", "metadata", "labels")):
        value = pool.get(*path, default={}).get(key)
        if value:
            return str(value)
    return ""


def list_capacity_types(pool: Resource) -> list[str]:
    """Return the capacity types that the requirements of a NodePool do not rule out."""
    about_capacity = [item for item in list_requirements(pool) if item["key"] == "karpenter.sh/capacity-type"]
    return [
        capacity_type
        for capacity_type in ("reserved", "spot", "on-demand")
        if all(_admits(item, capacity_type) for item in about_capacity)
    ]


def is_overlay_of(overlay: Resource, pool: Resource) -> bool:
    """Tell whether a NodeOverlay names a NodePool."""
    return pool.get("metadata", "name") in list_pool_names(overlay)


def list_pool_names(overlay: Resource) -> list[str]:
    """Return the NodePools that a NodeOverlay names."""
    return overlay.compute_once(_read_pool_names)


def _read_pool_names(overlay: Resource) -> list[str]:
    return list_values(overlay, "karpenter.sh/nodepool")
