"""Files of the GPU Operator that running nodes name by a label: the device plugin's files and the MIG layouts."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import yaml

from ..catalog.labels import GPU_LABEL
from ..catalog.versions import GPU_OPERATOR
from ..plan import PlannedResource
from ..sharing.profile import MIG_CONFIG_LABEL, OPERANDS_LABEL, PLUGIN_CONFIG_LABEL, POOL_KEY
from .planned_nodes import NODE_GROUP, PlannedNodes, as_mapping, dig

_WORDS = {PLUGIN_CONFIG_LABEL: "device plugin's file", MIG_CONFIG_LABEL: "MIG layout"}
"""Label of nodes → the thing that its value names."""
_OF_ALL = {(PLUGIN_CONFIG_LABEL, "none"), (MIG_CONFIG_LABEL, "all-disabled")}
"""The files that the operator always has; no label of ours names them."""
_RELEASE = "kubernetes:helm.sh/v3:Release"

File = tuple[str, str]
"""Label and value by which nodes name a file."""


def find_lost_files(before: Sequence[PlannedResource], after: Sequence[PlannedResource]) -> Iterator[str]:
    """Yield a sentence for each file that goes while nodes of pools that stay name it until they are replaced.

    The operator itself goes with the last pool that it serves.
    """
    old, new = _list_labels(before), _list_labels(after)
    if _goes(before, after) and (served := [pool for pool in _list_served(old) if pool in new]):
        entry = f"{{gpu: {old[served[0]][GPU_LABEL]}, sharing: {{mode: exclusive}}}}"
        yield (
            f"nodes of {', '.join(served)} need the GPU Operator until they are replaced, and it goes: without its "
            f"device plugin a node hands out no GPU; write {entry} into retiredSharing until they are gone"
        )
    for label, value in _list_gone(before, after):
        pools = sorted(pool for pool, labels in old.items() if labels.get(label) == value and pool in new)
        if pools:
            entry = f"{{gpu: {old[pools[0]].get(GPU_LABEL)}, sharing: …}}"
            yield (
                f"nodes of {', '.join(pools)} name the {_WORDS[label]} {value} until they are replaced, and it goes: a "
                "node that starts late, or on which the operator's pods start again, hands out whole GPUs beside its "
                f"shares, or nothing; write {entry} with the old sharing into retiredSharing until no node has "
                f"{label}={value}"
            )


def find_unused_files(before: Sequence[PlannedResource], after: Sequence[PlannedResource]) -> Iterator[str]:
    """Yield a sentence for each retired file that goes, with the command that shows whether a node still names it."""
    old = _list_labels(before)
    named = {(label, value) for labels in old.values() for label, value in labels.items()}
    for label, value in _list_gone(before, after):
        if (label, value) not in named:
            yield f"the {_WORDS[label]} {value} goes: `kubectl get nodes -l {label}={value}` must list no node"
    if _goes(before, after) and not _list_served(old):
        nodes = f"nvidia.com/gpu.present=true,{OPERANDS_LABEL}!=false"
        yield f"the GPU Operator goes: `kubectl get nodes -l {nodes}` must list no node"


def _list_served(pools: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Return the pools of GPUs whose nodes the operator serves."""
    return sorted(
        pool for pool, labels in pools.items() if GPU_LABEL in labels and labels.get(OPERANDS_LABEL) != "false"
    )


def _goes(before: Sequence[PlannedResource], after: Sequence[PlannedResource]) -> bool:
    """Return whether the operator goes."""
    return bool([*_list_operators(before)]) and not [*_list_operators(after)]


def _list_gone(before: Sequence[PlannedResource], after: Sequence[PlannedResource]) -> list[File]:
    return sorted(_list_files(before) - _list_files(after) - _OF_ALL)


def _list_files(resources: Sequence[PlannedResource]) -> set[File]:
    found: set[File] = set()
    for release in _list_operators(resources):
        values = as_mapping(release.inputs.get("values"))
        files = as_mapping(dig(values, "devicePlugin", "config", "data"))
        found |= {(PLUGIN_CONFIG_LABEL, str(name)) for name in files}
        for text in as_mapping(dig(values, "migManager", "config", "data")).values():
            found |= {(MIG_CONFIG_LABEL, str(name)) for name in as_mapping(dig(_parse(text), "mig-configs"))}
    return found


def _list_operators(resources: Sequence[PlannedResource]) -> Iterator[PlannedResource]:
    for resource in resources:
        if resource.type == _RELEASE and resource.inputs.get("name") == GPU_OPERATOR.name:
            yield resource


def _parse(text: Any) -> Any:
    try:
        return yaml.safe_load(text) if isinstance(text, str) else None
    except yaml.YAMLError:
        return None


def _list_labels(resources: Sequence[PlannedResource]) -> dict[str, Mapping[str, Any]]:
    """Return pool → the labels of its nodes, for pools of Karpenter and for static nodes."""
    nodes = PlannedNodes(resources)
    dynamic = (dig(pool.inputs, "spec", "template", "metadata", "labels") for pool in nodes.pools.values())
    static = (group.inputs.get("labels") for group in nodes.list_type(NODE_GROUP))
    labels = [as_mapping(each) for each in (*dynamic, *static)]
    return {str(each[POOL_KEY]): each for each in labels if POOL_KEY in each}
