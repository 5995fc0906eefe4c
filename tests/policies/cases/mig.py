"""Cases of the rules about NodeOverlays and MIG layouts."""

from typing import Any

import yaml

from policies import UNKNOWN, Resource

from .stacks import GONE, Build, broken, fails, foreign, of, passes, release, requirement, resource, shipped, undecided

_CAPACITY, _REQUIREMENTS = ("spec", "capacity"), ("spec", "requirements")
_TYPE, _POOL = "node.kubernetes.io/instance-type", "karpenter.sh/nodepool"
_H100 = "nvidia.com/mig-1g.10gb"
_DATA = ("values", "migManager", "config", "data")


def overlay(capacity: Any, *types: str, pools: tuple[str, ...] = ("theirs",)) -> Resource:
    """A NodeOverlay written by hand."""
    asked = [*([requirement(_POOL, *pools)] if pools else []), *([requirement(_TYPE, *types)] if types else [])]
    props = {"metadata": {"name": "theirs"}, "spec": {"requirements": asked, "capacity": capacity}}
    return resource("kubernetes:karpenter.sh/v1alpha1:NodeOverlay", "theirs", props)


def _asking(*requirements: Any, types: Any = None) -> Resource:
    asked = [*requirements, types or requirement(_TYPE, "p5.4xlarge")]
    return resource("kubernetes:karpenter.sh/v1alpha1:NodeOverlay", "theirs", {"spec": {"requirements": asked}})


def _one(path: tuple[str | int, ...], value: Any) -> Build:
    """Research with another value in the overlay of H100 nodes with one GPU."""
    return broken("research", "NodeOverlay", "overlay-1", path, value)


def _theirs(capacity: Any, *types: str) -> Build:
    return foreign(overlay(capacity, *types))


def _configs(layouts: Any) -> Build:
    """Research with other MIG layouts in the GPU Operator's values."""
    entries = {
        name: [{"devices": "all", "mig-enabled": True, "mig-devices": layout}] for name, layout in layouts.items()
    }
    text = yaml.safe_dump({"version": "v1", "mig-configs": {"all-disabled": [{"mig-enabled": False}], **entries}})
    return broken("research", "Release", "gpu-operator", (*_DATA, "config.yaml"), text)


EXIST = of(
    "mig-profile-exists",
    passes("slices that H100s have", shipped("research")),
    passes("overlays without slices", shipped("prod")),
    passes("no capacity at all", _one(_CAPACITY, GONE)),
    passes("whole GPUs of a type that nobody knows", _theirs({"nvidia.com/gpu": 8}, "p9.48xlarge")),
    passes("a profile with its media engines", _theirs({"nvidia.com/mig-1g.10gb.me": 8}, "p5.48xlarge")),
    passes("none of a slice that the GPU has not", _theirs({"nvidia.com/mig-9g.99gb": "0"}, "p5.48xlarge")),
    passes("shared slices of a profile that is there", _theirs({f"{_H100}.shared": 56}, "p5.48xlarge")),
    fails("a profile of another GPU", _one((*_CAPACITY, "nvidia.com/mig-1g.5gb"), "7"), "h100-slices-overlay-1",
          words=("1g.5gb", "p5.4xlarge", "it has 1g.10gb")),
    fails("a GPU that cannot be cut", _theirs({_H100: 7}, "g6.xlarge"), "theirs", words="it has none"),
    fails("an instance type that nobody knows", _theirs({_H100: 7}, "p9.48xlarge"), "theirs", words="p9.48xlarge is not known"),
    fails("no instance type", _theirs({_H100: 7}), "theirs", words="names no GPU type"),
    fails("a known type beside one that nobody knows", _theirs({_H100: 56}, "p5.48xlarge", "p9.48xlarge"), "theirs"),
    fails("a shared slice that nobody has", _theirs({"nvidia.com/mig-9g.99gb.shared": 8}, "p5.48xlarge"), "theirs"),
    undecided("capacity not known", _one(_CAPACITY, UNKNOWN), "h100-slices-overlay-1"),
    undecided("requirements not known", _one(_REQUIREMENTS, UNKNOWN), "h100-slices-overlay-1"),
    undecided("an instance type not known", _one((*_REQUIREMENTS, 1, "values"), [UNKNOWN]), "h100-slices-overlay-1"),
    undecided("instance types not known", _one((*_REQUIREMENTS, 1, "values"), UNKNOWN), "h100-slices-overlay-1"),
)  # fmt: skip

PLACEABLE = of(
    "mig-layout-placeable",
    passes("layouts that fit", shipped("research")),
    passes("no slices", shipped("prod")),
    passes("two kinds of slices that fit", _theirs({"nvidia.com/mig-3g.40gb": 8, "nvidia.com/mig-1g.10gb": 16}, "p5.48xlarge")),
    passes("a profile that is not there, which another rule calls wrong", _one((*_CAPACITY, "nvidia.com/mig-1g.5gb"), "70")),
    passes("a GPU that cannot be cut, which another rule calls wrong", _theirs({_H100: 7}, "g6.xlarge")),
    passes("none of one slice", _theirs({"nvidia.com/mig-7g.80gb": 8, _H100: 0}, "p5.48xlarge")),
    passes("shared slices, counted otherwise", _theirs({f"{_H100}.shared": 1000}, "p5.48xlarge")),
    fails("one slice too many", _one((*_CAPACITY, _H100), "8"), "h100-slices-overlay-1", words="cannot hold it"),
    fails("one slice too many beside shared ones", _theirs({_H100: 8, f"{_H100}.shared": 4}, "p5.4xlarge"), "theirs"),
    fails("a layout that nothing can place", _theirs({"nvidia.com/mig-3g.40gb": 3}, "p5.4xlarge"), "theirs"),
    fails("a count that eight GPUs do not share", broken("research", "NodeOverlay", "overlay-8", (*_CAPACITY, _H100), "57"),
          "h100-slices-overlay-8", words="does not divide"),
    fails("two profiles, one indivisible", _theirs({"nvidia.com/mig-1g.10gb": 8, "nvidia.com/mig-2g.20gb": 9}, "p5.48xlarge"),
          "theirs", words="does not divide"),
    undecided("capacity not known", _one(_CAPACITY, UNKNOWN), "h100-slices-overlay-1"),
    undecided("a count not known", _one((*_CAPACITY, _H100), UNKNOWN), "h100-slices-overlay-1"),
)  # fmt: skip

LEGAL = of(
    "mig-config-legal",
    passes("layouts that can be placed", shipped("research")),
    passes("no MIG manager", shipped("prod")),
    passes("charts of others without values", foreign(release("gpu-operator"), release("nginx", "web"))),
    passes("an empty config", broken("research", "Release", "gpu-operator", (*_DATA, "config.yaml"), "")),
    passes("a config without layouts", broken("research", "Release", "gpu-operator", (*_DATA, "config.yaml"), "version: v1")),
    passes("a layout of a GPU that the stack does not use", _configs({"blackwell": {"1g.24gb": 4}})),
    passes("a layout that fits only the larger of two GPUs with such profiles", _configs({"mixed": {"1g.10gb": 7}})),
    fails("a profile that no GPU has", _configs({"odd": {"9g.99gb": 1}}), "gpu-research-gpu-operator-release", words=("odd", "9g.99gb")),
    fails("profiles of two GPUs", _configs({"odd": {"1g.5gb": 1, "1g.10gb": 1, "1g.18gb": 1}}), "gpu-research-gpu-operator-release", words="no one GPU"),
    fails("a layout without placement", _configs({"odd": {"1g.10gb": 99}}), "gpu-research-gpu-operator-release", words="fits no GPU"),
    undecided("values not known", broken("research", "Release", "gpu-operator", ("values",), UNKNOWN), "gpu-research-gpu-operator-release"),
    undecided("data not known", broken("research", "Release", "gpu-operator", _DATA, UNKNOWN), "gpu-research-gpu-operator-release"),
    undecided("the config not known", broken("research", "Release", "gpu-operator", (*_DATA, "config.yaml"), UNKNOWN),
              "gpu-research-gpu-operator-release"),
    fails("a config that is no YAML", broken("research", "Release", "gpu-operator", (*_DATA, "config.yaml"), "a: ["),
          "gpu-research-gpu-operator-release"),
)  # fmt: skip

SCOPED = of(
    "overlay-scoped",
    passes("overlays of one pool and its types", shipped("prod")),
    passes("an overlay of others", _theirs({_H100: 7}, "p5.4xlarge")),
    fails("no types", broken("prod", "NodeOverlay", "overlay-8", (*_REQUIREMENTS, 1), GONE), "infer-l4-overlay-8"),
    fails("no pool", broken("prod", "NodeOverlay", "overlay-8", (*_REQUIREMENTS, 0), GONE), "infer-l4-overlay-8"),
    passes("one pool, said twice", foreign(_asking(requirement(_POOL, "theirs", "others"), requirement(_POOL, "theirs")))),
    fails("all pools but one", foreign(_asking(requirement(_POOL, "theirs", operator="NotIn"))), "theirs"),
    fails("no type listed", foreign(_asking(requirement(_POOL, "theirs"), types=requirement(_TYPE))), "theirs"),
    fails("two pools", foreign(overlay({}, "p5.4xlarge", pools=("theirs", "others"))), "theirs"),
    fails("any pool", broken("prod", "NodeOverlay", "overlay-8", (*_REQUIREMENTS, 0), requirement(_POOL, operator="Exists")),
          "infer-l4-overlay-8"),
    fails("no requirements", broken("prod", "NodeOverlay", "overlay-8", _REQUIREMENTS, GONE), "infer-l4-overlay-8"),
    undecided("requirements not known", broken("prod", "NodeOverlay", "overlay-8", _REQUIREMENTS, UNKNOWN), "infer-l4-overlay-8"),
)  # fmt: skip

HIDDEN = of(
    "overlay-hides-whole-gpus",
    passes("whole GPUs hidden", shipped("prod")),
    passes("whole GPUs hidden behind slices", shipped("research")),
    passes("nothing shared", _theirs({"memory": "4Gi"}, "p5.4xlarge")),
    passes("none of a slice", _theirs({_H100: "0"}, "p5.4xlarge")),
    passes("the count of whole GPUs itself", _theirs({"nvidia.com/gpu": 8}, "p5.48xlarge")),
    passes("fractions, which EC2 does not count", _theirs({"nvidia.com/gpu.shared": 4}, "g6f.xlarge")),
    passes("resources of others", _theirs({"vpc.amazonaws.com/efa": 32}, "p5.48xlarge")),
    fails("whole GPUs left", _one((*_CAPACITY, "nvidia.com/gpu"), GONE), "h100-slices-overlay-1", words=_H100),
    fails("whole GPUs beside slices", _one((*_CAPACITY, "nvidia.com/gpu"), "8"), "h100-slices-overlay-1"),
    fails("replicas beside whole GPUs, as a number", _theirs({"nvidia.com/gpu.shared": 4}, "g6.xlarge"), "theirs"),
    fails("replicas of fractions and of whole GPUs", _theirs({"nvidia.com/gpu.shared": 4}, "g6f.xlarge", "g6.xlarge"), "theirs"),
    undecided("capacity not known", _one(_CAPACITY, UNKNOWN), "h100-slices-overlay-1"),
    undecided("a count not known", _one(_CAPACITY, {_H100: UNKNOWN}), "h100-slices-overlay-1"),
)  # fmt: skip

CASES = (*EXIST, *PLACEABLE, *LEGAL, *SCOPED, *HIDDEN)
