"""Reading Karpenter's objects, whoever wrote them."""

from collections.abc import Callable
from typing import Any

from gpu_blueprint.catalog import Instance, instances

from .rule import Resource

INSTANCE_TYPE = "node.kubernetes.io/instance-type"
ZONE = "topology.kubernetes.io/zone"
_LABELS = "karpenter.k8s.aws/instance-"
_COMPARED: dict[str, Callable[[int, int], bool]] = {
    "Gt": int.__gt__,
    "Lt": int.__lt__,
    "Gte": int.__ge__,
    "Lte": int.__le__,
}


def _category(row: Instance) -> str:
    return row.family[: len(row.family) - len(row.family.lstrip("abcdefghijklmnopqrstuvwxyz"))]


_COLUMNS: dict[str, Callable[[Instance], str | None]] = {
    INSTANCE_TYPE: lambda row: row.instance_type,
    f"{_LABELS}family": lambda row: row.family,
    f"{_LABELS}size": lambda row: row.instance_type.split(".")[1],
    f"{_LABELS}category": _category,
    f"{_LABELS}generation": lambda row: row.family[len(_category(row))],
    f"{_LABELS}gpu-name": lambda row: row.gpu.karpenter_name,
    f"{_LABELS}gpu-manufacturer": lambda _: "nvidia",
    f"{_LABELS}gpu-count": lambda row: str(row.gpu_count),
    f"{_LABELS}gpu-memory": lambda row: str(row.gpu_memory_mib),
}
"""Well-known label → what it says of an instance type that has GPUs."""


def requirements(resource: Resource) -> list[dict[str, Any]]:
    """The requirements of a NodePool or a NodeOverlay."""
    return resource.once(_read_requirements)


def _read_requirements(resource: Resource) -> list[dict[str, Any]]:
    path = ("spec", "requirements") if resource.kind == "NodeOverlay" else ("spec", "template", "spec", "requirements")
    return [one for one in resource.get(*path, default=[]) if one.get("key") and one.get("operator")]


def wanted(resource: Resource, key: str) -> list[str]:
    """The values that requirements list for a key; empty where none lists any."""
    lists = [
        list(one.get("values") or []) for one in requirements(resource) if one["key"] == key and one["operator"] == "In"
    ]
    return [value for value in lists[0] if all(value in other for other in lists)] if lists else []


def gpu_rows(resource: Resource) -> list[Instance]:
    """The GPU instance types that the requirements admit; none where they say nothing of the machine."""
    return resource.once(_find_gpu_rows)


def _find_gpu_rows(resource: Resource) -> list[Instance]:
    telling = [one for one in requirements(resource) if one["key"] in _COLUMNS]
    rows = [row for row in instances().values() if row.gpu_name] if telling else []
    return [row for row in rows if all(_admits(one, _COLUMNS[one["key"]](row)) for one in telling)]


def _admits(requirement: dict[str, Any], value: str | None) -> bool:
    operator, values = requirement["operator"], [str(item) for item in requirement.get("values") or []]
    if operator in _COMPARED:
        return value is not None and value.isdecimal() and _COMPARED[operator](int(value), int(values[0]))
    return {
        "In": value in values,
        "NotIn": value not in values,
        "Exists": value is not None,
        "DoesNotExist": value is None,
    }[operator]


def strange_types(resource: Resource) -> list[str]:
    """Instance types that are named and not in the catalogue."""
    return [name for name in wanted(resource, INSTANCE_TYPE) if name not in instances()]


def is_gpu_pool(pool: Resource) -> bool:
    """Whether a NodePool may launch GPU nodes."""
    return bool(gpu_rows(pool))


def label(pool: Resource, key: str) -> str:
    """What a pool says of itself, on the NodePool or on its nodes; empty if nothing."""
    for path in (("metadata", "labels"), ("spec", "template", "metadata", "labels")):
        said = pool.get(*path, default={}).get(key)
        if said:
            return str(said)
    return ""


def capacity_types(pool: Resource) -> list[str]:
    """How a pool may buy: whatever its requirements do not rule out."""
    asked = [one for one in requirements(pool) if one["key"] == "karpenter.sh/capacity-type"]
    return [kind for kind in ("reserved", "spot", "on-demand") if all(_admits(one, kind) for one in asked)]


def pool_names(overlay: Resource) -> list[str]:
    """The pools that an overlay names."""
    return overlay.once(_read_pool_names)


def _read_pool_names(overlay: Resource) -> list[str]:
    return wanted(overlay, "karpenter.sh/nodepool")


def amount(value: Any) -> int:
    """A quantity of whole things."""
    return int(str(value)) if str(value).isdecimal() else 0
