"""The resources that Kueue's queues count, and the NodePools that must launch their nodes."""

from collections.abc import Mapping, Sequence
from typing import Any

from gpu_blueprint.records import Record

from ..resources import Resource, Stack
from ..values import NotYetKnownError, read_mappings, read_text
from .extended_resources import is_gpu_resource, parse_quantity
from .karpenter_objects import may_carry
from .namespaces import is_kubernetes, read_name
from .node_groups import GROUP_KINDS, is_managed_group


class Quota(Record):
    """The amount of a resource in a flavor that a ClusterQueue or a Cohort promises."""

    flavor: str
    resource: str
    nominal: Any
    """Quantity as the program writes it."""


def list_queued_gpus(stack: Stack) -> set[str]:
    """Return the GPU resources that a ClusterQueue counts in flavors with node labels."""
    placed = _read_labels(stack)
    quotas = _list_quotas(stack, "ClusterQueue")
    return {quota.resource for quota in quotas if quota.flavor in placed and is_gpu_resource(quota.resource)}


def _read_labels(stack: Stack) -> dict[str, dict[str, str]]:
    """Return flavor → the labels of its nodes; without flavors that have no node labels."""
    flavors = [found for found in stack.select("ResourceFlavor") if is_kubernetes(found)]
    labels = {read_name(flavor): flavor.read_block("spec", "nodeLabels") for flavor in flavors}
    return {name: _read_texts(block) for name, block in labels.items() if block}


def _read_texts(labels: Mapping[str, Any]) -> dict[str, str]:
    return {key: read_text(value, key) for key, value in labels.items()}


def _list_quotas(stack: Stack, *kinds: str) -> list[Quota]:
    return [
        Quota(read_text(flavor.get("name"), "name"), read_text(resource.get("name"), "name"), resource["nominalQuota"])
        for queue in stack.select(*kinds)
        if is_kubernetes(queue)
        for group in queue.list_blocks("spec", "resourceGroups")
        for flavor in read_mappings(group.get("flavors"), "flavors")
        for resource in read_mappings(flavor.get("resources"), "resources")
        if "nominalQuota" in resource
    ]


class Supply(Record):
    """NodePools, and the flavors whose nodes only they launch."""

    pools: tuple[Resource, ...]
    flavors: frozenset[str]


def list_supplies(stack: Stack) -> list[Supply]:
    """Return the sets of NodePools that a flavor selects, each with all flavors that select no other NodePools.

    A flavor that also selects a managed node group is in no set, since Karpenter does not limit the group.
    """
    pools_by_flavor = {flavor: _find_pools(labels, stack) for flavor, labels in _read_labels(stack).items()}
    urns = {flavor: frozenset(pool.urn for pool in pools) for flavor, pools in pools_by_flavor.items() if pools}
    return [
        Supply(
            tuple(pool for pool in stack.select("NodePool") if pool.urn in group),
            frozenset(flavor for flavor, inside in urns.items() if inside <= group),
        )
        for group in dict.fromkeys(urns.values())
    ]


def _find_pools(labels: Mapping[str, str], stack: Stack) -> list[Resource]:
    groups = [group for group in stack.select(*GROUP_KINDS) if is_managed_group(group)]
    if any(labels.items() <= _read_texts(group.read_block("labels")).items() for group in groups):
        return []
    return [pool for pool in stack.select("NodePool") if is_kubernetes(pool) and may_carry(pool, labels)]


def sum_limits(pools: Sequence[Resource]) -> dict[str, float]:
    """Return resource → the sum of the limits of NodePools; without resources that one of them does not limit."""
    limits = [pool.read_block("spec", "limits") for pool in pools]
    return {
        name: sum(parse_quantity(each[name]) for each in limits)
        for name in limits[0]
        if all(name in each for each in limits)
    }


def sum_quotas(stack: Stack, flavors: frozenset[str], resource: str) -> tuple[float, NotYetKnownError | None]:
    """Return the sum of the known quotas of a resource in some flavors, and the error of an unknown quota."""
    total, unknown = 0.0, None
    for quota in _list_quotas(stack, "ClusterQueue", "Cohort"):
        if quota.flavor in flavors and quota.resource == resource:
            try:
                total += parse_quantity(quota.nominal)
            except NotYetKnownError as error:
                unknown = error
    return total, unknown
