"""Cases of the rules about GPU NodePools: taints, limits and whether sharing is told."""

from typing import Any

from policies import UNKNOWN

from .stacks import (
    GONE,
    Build,
    beside,
    broken,
    fails,
    foreign,
    node_pool,
    of,
    passes,
    requirement,
    shipped,
    undecided,
    without,
)

_NODE = ("spec", "template", "spec")
_LABELS = ("spec", "template", "metadata", "labels")
_TYPE, _WELL_KNOWN = "node.kubernetes.io/instance-type", "karpenter.k8s.aws/instance-"
_SOFT = {"key": "gpu", "effect": "PreferNoSchedule"}
_EVICTS = {"key": "gpu", "effect": "NoExecute"}


def _l40s(path: tuple[str, ...], value: Any) -> Build:
    return broken("prod", "NodePool", "infer-l40s", path, value)


def _theirs(key: str, *values: str, operator: str = "In", **spec: Any) -> Build:
    return foreign(node_pool(requirement(key, *values, operator=operator), **spec))


TAINTED = of(
    "gpu-pool-tainted",
    passes("pools that are tainted", shipped("prod")),
    passes("a CPU pool by category", _theirs(f"{_WELL_KNOWN}category", "c", "m")),
    passes("a CPU pool by type", _theirs(_TYPE, "m7i.xlarge")),
    passes("every GPU excluded", _theirs(f"{_WELL_KNOWN}gpu-count", operator="DoesNotExist")),
    passes("a taint that also evicts", _l40s((*_NODE, "taints"), [_EVICTS])),
    passes("a soft taint beside a hard one", _l40s((*_NODE, "taints"), [_SOFT, _EVICTS])),
    passes("types of one family, GPUs of another", foreign(
        node_pool(requirement(_TYPE, "g6.xlarge"), requirement(f"{_WELL_KNOWN}family", "m7i")))),
    passes("halves of requirements, which the API server refuses", foreign(
        node_pool({"key": _TYPE, "values": ["g6.xlarge"]}, {"operator": "In", "values": ["g6.xlarge"]}))),
    passes("more GPUs than any type has", _theirs(f"{_WELL_KNOWN}gpu-count", "99", operator="Gt")),
    passes("a name that is more than a number", _theirs(f"{_WELL_KNOWN}gpu-name", "1", operator="Gt")),
    fails("no taints", _l40s((*_NODE, "taints"), GONE), "infer-l40s-node-pool"),
    fails("a taint that only asks", broken("dev", "NodePool", "", (*_NODE, "taints"), [_SOFT]), "shared-l4-node-pool"),
    fails("a requirement whose key is null", foreign(node_pool({"key": None, "operator": "Exists"}, requirement(_TYPE, "g6.xlarge"))), "theirs"),
    fails("a requirement whose operator is null", foreign(node_pool({"key": _TYPE, "operator": None}, requirement(_TYPE, "g6.xlarge"))), "theirs"),
    fails("a GPU type", _theirs(_TYPE, "m7i.xlarge", "g6.xlarge"), "theirs"),
    fails("a GPU family", _theirs(f"{_WELL_KNOWN}family", "g6"), "theirs"),
    fails("a category with GPU families", _theirs(f"{_WELL_KNOWN}category", "c", "g"), "theirs"),
    fails("a GPU by name", _theirs(f"{_WELL_KNOWN}gpu-name", "l4"), "theirs"),
    fails("a number of GPUs", _theirs(f"{_WELL_KNOWN}gpu-count", "1", "8"), "theirs"),
    fails("GPUs that need only exist", _theirs(f"{_WELL_KNOWN}gpu-manufacturer", operator="Exists"), "theirs"),
    fails("GPUs among any types", foreign(
        node_pool(requirement(_TYPE, operator="Exists"), requirement(f"{_WELL_KNOWN}gpu-count", "8"))), "theirs"),
    fails("more than no GPUs", _theirs(f"{_WELL_KNOWN}gpu-count", "0", operator="Gt"), "theirs"),
    fails("every type but one", _theirs(_TYPE, "p5.48xlarge", operator="NotIn"), "theirs"),
    fails("every category but three", _theirs(f"{_WELL_KNOWN}category", "c", "m", "r", operator="NotIn"), "theirs"),
    fails("a GPU type, asked for twice", foreign(
        node_pool(requirement(_TYPE, "p5.48xlarge"), requirement(_TYPE, operator="Exists"))), "theirs"),
    undecided("taints not known", _l40s((*_NODE, "taints"), UNKNOWN), "infer-l40s-node-pool"),
    undecided("requirements not known", _l40s((*_NODE, "requirements"), UNKNOWN), "infer-l40s-node-pool"),
    undecided("the only taint not known", _l40s((*_NODE, "taints"), [UNKNOWN]), "infer-l40s-node-pool"),
    undecided("the only effect not known", _l40s((*_NODE, "taints"), [{"key": "a", "effect": UNKNOWN}]),
              "infer-l40s-node-pool"),
    undecided("the only requirement not known", foreign(node_pool(UNKNOWN)), "theirs"),
    passes("a CPU pool, taints not known", _theirs(_TYPE, "m7i.xlarge", node={"taints": UNKNOWN})),
)  # fmt: skip

LIMITED = of(
    "gpu-pool-limited",
    passes("limits in GPUs", shipped("research")),
    passes("a CPU pool without limits", _theirs(_TYPE, "m7i.xlarge")),
    passes("a limit as a number, beside one in CPUs", _l40s(("spec", "limits"), {"cpu": "8", "nvidia.com/gpu": 16})),
    passes("a limit whose size is not known", _l40s(("spec", "limits"), {"nvidia.com/gpu": UNKNOWN})),
    fails("no limits", _l40s(("spec", "limits"), GONE), "infer-l40s-node-pool"),
    fails("limits in CPUs", _l40s(("spec", "limits"), {"cpu": "1000"}), "infer-l40s-node-pool"),
    undecided("limits not known", _l40s(("spec", "limits"), UNKNOWN), "infer-l40s-node-pool"),
)  # fmt: skip

_SLICES = "nvidia.com/mig-1g.10gb"


def _slices(limits: Any) -> Build:
    return broken("research", "NodePool", "h100-slices", ("spec", "limits"), limits)


REACHABLE = of(
    "gpu-limit-reachable",
    passes("limits in slices", shipped("research")),
    passes("limits in shares", shipped("prod")),
    passes("no limits, which another rule calls wrong", _slices(GONE)),
    passes("limits in CPUs, beside overlays", _slices({"cpu": "8"})),
    passes("a limit in slices beside one in whole GPUs", _slices({_SLICES: "7", "nvidia.com/gpu": "16"})),
    passes("whole GPUs of a pool that no overlay names", beside("research", node_pool(requirement(_TYPE, "p5.48xlarge"), limits={"nvidia.com/gpu": "8"}))),
    passes("slices that one of two overlays hands out",
           broken("research", "NodeOverlay", "h100-slices-overlay-8", ("spec", "capacity", _SLICES), "0")),
    fails("a limit in whole GPUs where slices are handed out", _slices({"nvidia.com/gpu": "16"}), "h100-slices-node-pool",
          words="limited in nvidia.com/gpu, of which"),
    undecided("limits not known", _slices(UNKNOWN), "h100-slices-node-pool"),
    undecided("capacity of an overlay not known", broken("research", "NodeOverlay", "h100-slices-overlay-8", ("spec", "capacity"), UNKNOWN),
              "h100-slices-node-pool"),
)  # fmt: skip

_CUT = {"nvidia.com/mig.config": "all-1g.10gb"}
_SLICED = {"nvidia.com/device-plugin.config": "mps-4"}
_PLAIN = {"nvidia.com/mig.config": "all-disabled", "nvidia.com/device-plugin.config": "none"}

OVERLAID = of(
    "sharing-overlaid",
    passes("sharing that overlays tell", shipped("prod")),
    passes("slices that overlays tell", shipped("research")),
    passes("labels that say nothing is shared", broken("prod", "NodePool", "infer-l40s", _LABELS, _PLAIN)),
    passes("no labels at all", broken("prod", "NodePool", "infer-l40s", ("spec", "template", "metadata"), GONE)),
    passes("a pool of others without labels", _theirs(_TYPE, "p5.48xlarge")),
    fails("slices without overlay", broken("prod", "NodePool", "infer-l40s", _LABELS, _CUT), "infer-l40s-node-pool"),
    fails("replicas without overlay", broken("prod", "NodePool", "infer-l40s", _LABELS, _SLICED), "infer-l40s-node-pool"),
    fails("no overlay left", without(without("research", "NodeOverlay", "overlay-1"), "NodeOverlay", "overlay-8"),
          "h100-slices-node-pool"),
    fails("overlays of another pool", beside("prod", node_pool(requirement(_TYPE, "g6.xlarge"),
          template={"metadata": {"labels": _SLICED}})), "theirs"),
    fails("Bottlerocket, which shares by its settings and needs no label", _theirs(_TYPE, "g6.xlarge", limits={"nvidia.com/gpu.shared": "64"}), "theirs"),
    passes("limits in whole GPUs and CPUs, by a pool that shares nothing", _theirs(_TYPE, "g6.xlarge", limits={"nvidia.com/gpu": "4", "cpu": "64"})),
    undecided("labels not known", broken("prod", "NodePool", "infer-l4-", _LABELS, UNKNOWN)),
    undecided("requirements of an overlay not known",
              broken("prod", "NodeOverlay", "overlay-1", ("spec", "requirements"), UNKNOWN)),
    undecided("a label not known", broken("prod", "NodePool", "infer-l40s", _LABELS, {"nvidia.com/mig.config": UNKNOWN})),
    fails("one pool not known, another wrong", broken(
        broken("prod", "NodePool", "infer-l4-", _LABELS, UNKNOWN), "NodePool", "infer-l40s", _LABELS, _CUT),
          "infer-l40s-node-pool", unclear="infer-l4-node-pool"),
)  # fmt: skip

CASES = (*TAINTED, *LIMITED, *REACHABLE, *OVERLAID)
