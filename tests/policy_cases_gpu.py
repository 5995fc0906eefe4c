"""Cases of the rules about GPU pools and how they are shared."""

from typing import Any

from policies import UNKNOWN, Resource

from .policy_cases_stacks import (
    GONE,
    broken,
    fails,
    foreign,
    node_pool,
    of,
    passes,
    requirement,
    resource,
    shipped,
    undecided,
)

_TAINTS = ("spec", "template", "spec", "taints")
_REQUIREMENTS = ("spec", "requirements")
_CAPACITY = ("spec", "capacity")
_LABELS = ("spec", "template", "metadata", "labels")
_TYPE, _POOL = "node.kubernetes.io/instance-type", "karpenter.sh/nodepool"
_GPU = "karpenter.k8s.aws/instance-gpu"
_SOFT = {"key": "gpu", "effect": "PreferNoSchedule"}
_EXECUTE = {"key": "gpu", "effect": "NoExecute"}


def overlay(capacity: Any, *types: str, pools: tuple[str, ...] = ("theirs",)) -> Resource:
    """A NodeOverlay written by hand."""
    asked = ([requirement(_POOL, *pools)] if pools else []) + ([requirement(_TYPE, *types)] if types else [])
    props = {"metadata": {"name": "theirs"}, "spec": {"requirements": asked, "capacity": capacity}}
    return resource("kubernetes:karpenter.sh/v1alpha1:NodeOverlay", "theirs", props)


POOLS = (
    *of(
        "gpu-pool-tainted",
        passes("pools that are tainted", shipped("prod")),
        passes("a CPU pool", foreign(node_pool(requirement(f"{_LABELS}-category", "c", "m")))),
        passes("a pool of anything but GPUs", foreign(node_pool(requirement(_TYPE, "m7i.xlarge")))),
        passes("a taint that also evicts", broken("prod", "NodePool", "infer-l4", _TAINTS, [_EXECUTE])),
        passes("a soft taint and a hard one", broken("prod", "NodePool", "infer-l4", _TAINTS, [_SOFT, _EXECUTE])),
        fails("no taints at all", broken("prod", "NodePool", "infer-l4-", _TAINTS, GONE), "infer-l4-node-pool"),
        fails("a taint that only asks", broken("dev", "NodePool", "", _TAINTS, [_SOFT]), "shared-l4-node-pool"),
        fails("a pool that names an instance family", foreign(node_pool(requirement("karpenter.k8s.aws/instance-family", "g6"))), "theirs"),
        fails("a pool that names a category with GPU families", foreign(node_pool(requirement("karpenter.k8s.aws/instance-category", "c", "g"))), "theirs"),
        fails("a pool that names a GPU", foreign(node_pool(requirement(f"{_GPU}-name", "l4"))), "theirs"),
        fails("a pool that counts GPUs", foreign(node_pool(requirement(f"{_GPU}-count", "1", "8"))), "theirs"),
        fails("a pool for which GPUs need only exist", foreign(node_pool(requirement(f"{_GPU}-manufacturer", operator="Exists"))), "theirs"),
        fails("a pool of more than no GPUs", foreign(node_pool(requirement(f"{_GPU}-count", "0", operator="Gt"))), "theirs",
              awaits="Gt is not read, so the pool of `instance-gpu-count Gt 0` is taken for a CPU pool"),
        fails("a pool with any category but three", foreign(node_pool(requirement("karpenter.k8s.aws/instance-category", "c", "m", "r", operator="NotIn"))), "theirs",
              awaits="NotIn is not read, although what it leaves has GPUs"),
        fails("an instance type named and then asked to exist", foreign(node_pool(requirement(_TYPE, "p5.48xlarge"), requirement(_TYPE, operator="Exists"))), "theirs",
              awaits="of two requirements with one key the last one is read"),
        undecided("taints that are not known", broken("prod", "NodePool", "infer-l4-", _TAINTS, UNKNOWN), "infer-l4-node-pool"),
        undecided("requirements that are not known", broken("prod", "NodePool", "infer-l4-", ("spec", "template", "spec", "requirements"), UNKNOWN), "infer-l4-node-pool"),
        undecided("the only taint is not known", broken("prod", "NodePool", "infer-l4-", _TAINTS, [UNKNOWN]), "infer-l4-node-pool",
                  awaits="an unknown item of a list ends in AttributeError"),
        undecided("the effect of the only taint is not known", broken("prod", "NodePool", "infer-l4-", _TAINTS, [{"key": "a", "effect": UNKNOWN}]), "infer-l4-node-pool",
                  awaits="an unknown effect is taken for a wrong one"),
        passes("a CPU pool whose taints are not known", foreign(node_pool(requirement(_TYPE, "m7i.xlarge"), node={"taints": UNKNOWN})),
               awaits="the unknown is looked at before the question whether the rule is about the pool"),
    ),
    *of(
        "gpu-pool-limited",
        passes("pools with limits in GPUs", shipped("research")),
        passes("a CPU pool without limits", foreign(node_pool(requirement(_TYPE, "m7i.xlarge")))),
        passes("a limit as a number", broken("prod", "NodePool", "infer-a10g", ("spec", "limits"), {"cpu": "8", "nvidia.com/gpu": 16})),
        fails("no limits at all", broken("prod", "NodePool", "infer-a10g", ("spec", "limits"), GONE), "infer-a10g-node-pool"),
        fails("limits in CPUs alone", broken("prod", "NodePool", "infer-a10g", ("spec", "limits"), {"cpu": "1000"}), "infer-a10g-node-pool"),
        undecided("limits that are not known", broken("prod", "NodePool", "infer-a10g", ("spec", "limits"), UNKNOWN), "infer-a10g-node-pool"),
        passes("a limit of a size that is not known", broken("prod", "NodePool", "infer-a10g", ("spec", "limits"), {"nvidia.com/gpu": UNKNOWN})),
        fails("a limit in whole GPUs on a pool that hands out slices", broken("research", "NodePool", "h100-slices", ("spec", "limits"), {"nvidia.com/gpu": "16"}), "h100-slices-node-pool",
              awaits="the overlays set nvidia.com/gpu to 0, so that limit is never reached"),
    ),
)  # fmt: skip

_MIG = "nvidia.com/mig-1g.10gb"
_HELD = {"nvidia.com/gpu": "0"}

MIG = (
    *of(
        "mig-profile-exists",
        passes("slices that H100s have", shipped("research")),
        passes("overlays without slices", shipped("prod")),
        passes("an overlay without slices of a type that nobody knows", foreign(overlay({"nvidia.com/gpu": 8}, "p9.48xlarge"))),
        passes("a profile with its media engines", foreign(overlay({"nvidia.com/mig-1g.10gb.me": "8"}, "p5.48xlarge"))),
        fails("a profile of another GPU", broken("research", "NodeOverlay", "overlay-1", (*_CAPACITY, "nvidia.com/mig-1g.5gb"), "7"), "h100-slices-overlay-1", words=("1g.5gb", "p5.4xlarge", "1g.10gb")),
        fails("a GPU that cannot be cut", foreign(overlay({_MIG: 7}, "g6.xlarge")), "theirs", words="none"),
        fails("slices of an instance type that nobody knows", foreign(overlay({_MIG: 7}, "p9.48xlarge")), "theirs", words="names no instance type"),
        fails("slices of no instance type in particular", foreign(overlay({_MIG: 7})), "theirs"),
        fails("a known type beside one that nobody knows", foreign(overlay({_MIG: 56}, "p5.48xlarge", "p9.48xlarge")), "theirs",
              awaits="types outside the catalogue are passed over as soon as one is in it: an allow-list lets them through"),
        fails("a shared slice of a profile that nobody has", foreign(overlay({"nvidia.com/mig-9g.99gb.shared": 8}, "p5.48xlarge")), "theirs",
              awaits="resources that end in .shared are not looked at: an allow-list lets them through"),
        undecided("capacity that is not known", broken("research", "NodeOverlay", "overlay-1", _CAPACITY, UNKNOWN), "h100-slices-overlay-1"),
        undecided("requirements that are not known", broken("research", "NodeOverlay", "overlay-1", _REQUIREMENTS, UNKNOWN), "h100-slices-overlay-1"),
        undecided("instance types that are not known", foreign(overlay({_MIG: 7}, pools=())), awaits="") if False else
        undecided("an instance type that is not known", broken("research", "NodeOverlay", "overlay-1", (*_REQUIREMENTS, 1, "values"), [UNKNOWN]), "h100-slices-overlay-1",
                  awaits="an unknown instance type counts as one that is not in the catalogue"),
    ),
)  # fmt: skip
