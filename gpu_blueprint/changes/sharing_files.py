"""Files of the GPU Operator that running nodes name by a label: the device plugin's files and the MIG layouts."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import yaml

from ..plan import PlannedResource
from ..sharing.profile import MIG_CONFIG_LABEL, PLUGIN_CONFIG_LABEL, POOL_KEY
from .planned_nodes import NODE_GROUP, PlannedNodes, as_mapping, dig

_WORDS = {PLUGIN_CONFIG_LABEL: "device plugin's file", MIG_CONFIG_LABEL: "MIG layout"}
"""Label of nodes → the thing that its value names."""
_UNCUT = "all-disabled"
"""The layout of nodes that no pool cuts."""
_RELEASE = "kubernetes:helm.sh/v3:Release"

File = tuple[str, str]
"""Label and value by which nodes name a file."""


def find_lost_files(before: Sequence[PlannedResource], after: Sequence[PlannedResource]) -> Iterator[str]:
    """Yield a sentence for each file that goes while nodes of pools that stay name it until they are replaced."""
    old, new = _list_labels(before), _list_labels(after)
    for label, value in _list_gone(before, after):
        pools = sorted(pool for pool, labels in old.items() if labels.get(label) == value and pool in new)
        if pools:
            yield (
                f"nodes of {', '.join(pools)} name the {_WORDS[label]} {value} until they are replaced, and it goes: a "
                "node that starts late, or on which the operator's pods start again, hands out whole GPUs beside its "
                f"shares, or nothing; write its sharing into retiredSharing until no node has {label}={value}"
            )


def find_unused_files(before: Sequence[PlannedResource], after: Sequence[PlannedResource]) -> Iterator[str]:
    """Yield a sentence for each retired file that goes, with the command that shows whether a node still names it."""
    named = {(label, value) for labels in _list_labels(before).values() for label, value in labels.items()}
    for label, value in _list_gone(before, after):
        if (label, value) not in named:
            yield f"the {_WORDS[label]} {value} goes: `kubectl get nodes -l {label}={value}` must list no node"


def _list_gone(before: Sequence[PlannedResource], after: Sequence[PlannedResource]) -> list[File]:
    return sorted(_list_files(before) - _list_files(after) - {(MIG_CONFIG_LABEL, _UNCUT)})


def _list_files(resources: Sequence[PlannedResource]) -> set[File]:
    found: set[File] = set()
    for release in resources:
        if release.type == _RELEASE and release.inputs.get("name") == "gpu-operator":
            values = as_mapping(release.inputs.get("values"))
            files = as_mapping(dig(values, "devicePlugin", "config", "data"))
            found |= {(PLUGIN_CONFIG_LABEL, str(name)) for name in files}
            for text in as_mapping(dig(values, "migManager", "config", "data")).values():
                found |= {(MIG_CONFIG_LABEL, str(name)) for name in as_mapping(dig(_parse(text), "mig-configs"))}
    return found


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
