"""Reading Karpenter's objects, whoever wrote them."""

from collections.abc import Callable
from typing import Any

from blueprint.catalog import Instance, instances

from .rule import Resource

_TYPE = "node.kubernetes.io/instance-type"
_LABELS = "karpenter.k8s.aws/instance-"


def _category(row: Instance) -> str:
    return row.family[: len(row.family) - len(row.family.lstrip("abcdefghijklmnopqrstuvwxyz"))]


_COLUMNS: dict[str, Callable[[Instance], str | None]] = {
    _TYPE: lambda row: row.instance_type,
    f"{_LABELS}family": lambda row: row.family,
    f"{_LABELS}gpu-name": lambda row: row.gpu.karpenter_name,
    f"{_LABELS}category": _category,
}
"""Well-known label → what it says of an instance type."""


def wanted(resource: Resource) -> dict[str, list[str]]:
    """Requirement key → values, for those that list values; of a NodePool or a NodeOverlay."""
    path = ("spec", "requirements") if resource.kind == "NodeOverlay" else ("spec", "template", "spec", "requirements")
    listed = resource.get(*path, default=[])
    return {item["key"]: list(item.get("values", [])) for item in listed if item.get("operator") in ("In", "Exists")}


def gpu_rows(resource: Resource) -> list[Instance]:
    """The GPU instance types that the requirements admit, as far as the catalogue knows them."""
    keys = wanted(resource)
    used = {key: column for key, column in _COLUMNS.items() if keys.get(key)}
    if not used:
        return []
    rows = [row for row in instances().values() if row.gpu_name]
    return [row for row in rows if all(column(row) in keys[key] for key, column in used.items())]


def is_gpu_pool(pool: Resource) -> bool:
    """Whether a NodePool may launch GPU nodes."""
    return bool(gpu_rows(pool)) or any(key.startswith(f"{_LABELS}gpu") for key in wanted(pool))


def purpose(pool: Resource) -> str:
    """What a pool says that it is for; empty if nothing."""
    for path in (("metadata", "labels"), ("spec", "template", "metadata", "labels")):
        said = pool.get(*path, default={}).get("gpu-blueprint/purpose")
        if said:
            return str(said)
    return ""


def capacity_types(pool: Resource) -> list[str]:
    """How a pool buys; on-demand unless it says otherwise, as Karpenter has it."""
    return wanted(pool).get("karpenter.sh/capacity-type") or ["on-demand"]


def amount(value: Any) -> int:
    """A quantity of whole things."""
    return int(str(value)) if str(value).isdecimal() else 0
