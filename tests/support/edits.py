"""Edits of the shipped stacks, and the nodes that Karpenter and EKS replace for them, by the fields they compare."""

import copy
from collections.abc import Callable, Mapping
from typing import Any

from gpu_blueprint.keys import STACK_KEY
from gpu_blueprint.plan import record

from .plans import Plan, find_resources, shipped_file

Stack = dict[str, Any]
Edit = Callable[[Stack], None]
"""Changes the object under ``gpu-blueprint:stack``."""

_RESOLVED = ("amiFamily", "ipPrefixCount", "amiSelectorTerms", "subnetSelectorTerms", "securityGroupSelectorTerms")
_NOT_HASHED = (*_RESOLVED, "capacityReservationSelectorTerms")
"""Fields of an EC2NodeClass without influence on its hash (karpenter-provider-aws 1.14.1, ec2nodeclass.go). Karpenter
compares nodes with the AMIs, subnets, groups and reservations that they select, so a change may drain all the same."""
_NOT_ROLLED = ("scalingConfig", "updateConfig", "tags")
"""Inputs of a node group that EKS changes without new nodes."""


def plan_edited(stack: str, edit: Edit | None = None) -> Plan:
    """Return the plan of a shipped stack after an edit."""
    return record(stack, edit_file(stack, edit))


def edit_file(stack: str, edit: Edit | None = None) -> dict[str, Any]:
    """Return the ``config`` section of a shipped stack after an edit."""
    section = copy.deepcopy(shipped_file(stack))
    if edit:
        edit(section[STACK_KEY])
    return section


def find_drains(before: Plan, after: Plan) -> dict[str, list[str]]:
    """Return pool or node group → the changed fields for which its nodes are replaced; without pools that are new."""
    pools, classes = _pair(before, after, "NodePool"), _pair(before, after, "EC2NodeClass")
    templates, groups = _pair(before, after, "LaunchTemplate"), _pair(before, after, "NodeGroup")
    found: dict[str, list[str]] = {}
    for name, (old, new) in pools.items():
        found.setdefault(name, []).extend(_compare_pools(old["spec"], new["spec"]) if new else ["pool"])
    for name, (old, new) in classes.items():
        fields = _list_changes(old["spec"], new["spec"]) if new else []
        found.setdefault(name, []).extend(f"nodeClass.{field}" for field in fields)
    for name, (old, new) in {**templates, **groups}.items():
        fields = [field for field in _list_changes(old, new) if field not in _NOT_ROLLED] if new else ["group"]
        found.setdefault(name, []).extend(fields)
    return {name: fields for name, fields in found.items() if fields}


def _pair(before: Plan, after: Plan, kind: str) -> dict[str, tuple[Any, Any]]:
    """Return name → the inputs before and after; ``None`` if the object is gone. In the cluster names are unique."""
    old, new = ({_name(item): item.inputs for item in find_resources(plan, kind)} for plan in (before, after))
    return {name: (inputs, new.get(name)) for name, inputs in old.items()}


def _name(resource: Any) -> str:
    return str(resource.inputs.get("metadata", {}).get("name") or resource.name)


def _list_changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    return [key for key in sorted({*old, *new}) if old.get(key) != new.get(key)]


def _compare_pools(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """Return the fields of the template that changed, and the requirements that lost values."""
    before, after = old["template"], new["template"]
    changed = [f"metadata.{field}" for field in _list_changes(before["metadata"], after["metadata"])]
    changed += [field for field in _list_changes(before["spec"], after["spec"]) if field != "requirements"]
    values, kept = _list_values(before), _list_values(after)
    return changed + [f"{key}: {value}" for key, value in values if (key, value) not in kept]


def _list_values(template: Mapping[str, Any]) -> list[tuple[str, str]]:
    return [(rule["key"], value) for rule in template["spec"]["requirements"] for value in rule["values"]]


def _rename_tenant(stack: Stack) -> None:
    old, stack["tenants"][0]["name"] = stack["tenants"][0]["name"], "renamed"
    for service in stack.get("services", []):
        service["tenant"] = "renamed" if service["tenant"] == old else service["tenant"]


def _remove_tenant(stack: Stack) -> None:
    gone = stack["tenants"].pop(0)["name"]
    stack["services"] = [service for service in stack.get("services", []) if service["tenant"] != gone]


def _add_tenant(stack: Stack) -> None:
    """Add a small tenant to every GPU pool, also to pools that only one tenant may use."""
    gpu_pools = [pool for pool in stack["pools"] if pool["purpose"] != "cpu"]
    grants = {pool["name"]: {"1g.10gb": 1} if "layout" in pool.get("sharing", {}) else 1 for pool in gpu_pools}
    small = {"name": "newcomers", "gpus": grants, "cpu": "32", "memory": "256Gi"}
    stack["tenants"].append({**copy.deepcopy(stack["tenants"][0]), **small})
    stack["hourlyCeiling"] = 1000


def _lower_quotas(stack: Stack) -> None:
    for tenant in stack["tenants"]:
        grants = {pool: count // 2 for pool, count in tenant["gpus"].items()}
        tenant |= {"cpu": "16", "memory": "64Gi", "gpus": grants}
    stack.pop("services", None)


def _calm(stack: Stack) -> None:
    """Let Karpenter disrupt one node of each pool at a time."""
    stack["hourlyCeiling"] = 1000
    for pool in stack["pools"]:
        pool["disruption"] = {**pool.get("disruption", {}), "budgets": [{"nodes": "1"}]}


def _pay_more(stack: Stack) -> None:
    stack |= {"hourlyCeiling": 1000, "monthlyBudget": 900_000}
    stack["billing"] = {"emails": ["money@example.org"], "actualPercent": [10, 90], "activateTags": True}


def lower_ceiling(pool: int, gpus: int) -> Edit:
    """Return an edit that lowers ``maxGpus`` of a pool, with the quotas, headroom and services that need more."""

    def edit(stack: Stack) -> None:
        lowered = stack["pools"][pool]
        name, share = lowered["name"], gpus / lowered["maxGpus"]
        lowered["maxGpus"] = gpus
        lowered.pop("headroom", None)
        for tenant in stack["tenants"]:
            if name in tenant["gpus"]:
                tenant["gpus"][name] = max(int(tenant["gpus"][name] * share), 1)
        stack["services"] = [service for service in stack.get("services", []) if service["pool"] != name]
        # The CPU that the pool no longer holds stays in the quotas of its tenants, and falls to the CPU pools.
        stack |= {"hourlyCeiling": 1000, "monthlyBudget": 900_000}
        for cpu_pool in (other for other in stack["pools"] if other["purpose"] == "cpu"):
            cpu_pool["maxCpus"] = 2000

    return edit


HARMLESS: dict[str, Edit] = {
    "owner": lambda stack: stack.update(owner="another-team"),
    "cost center": lambda stack: stack.update(costCenter="another-budget"),
    "tags": lambda stack: stack.update(tags={"reviewed-by": "finance"}),
    "a tenant more": _add_tenant,
    "a tenant less": _remove_tenant,
    "a tenant renamed": _rename_tenant,
    "quotas": _lower_quotas,
    "disruption budgets": _calm,
    "budgets in dollars": _pay_more,
    "an admin more": lambda stack: stack["cluster"]["admins"].append("arn:aws:iam::100200300401:role/second"),
    "half the ceiling of the first pool": lambda stack: lower_ceiling(0, stack["pools"][0]["maxGpus"] // 2)(stack),
}
"""Edits that replace no node."""

DRAINING: dict[str, Edit] = {
    "a taint": lambda stack: stack["pools"][0].update(taints=[{"key": "example.org/new"}]),
    "a label": lambda stack: stack["pools"][0].update(labels={"example.org/new": "true"}),
    "the disk": lambda stack: stack["pools"][0].update(disk={"sizeGib": 333}),
    "the way to buy": lambda stack: stack["pools"][0].update(purchase=["on-demand"]),
    "the time to drain": lambda stack: (
        stack["pools"][0].setdefault("disruption", {}).update(terminationGracePeriod="17m")
    ),
}
"""Edits that replace nodes of the first pool."""
