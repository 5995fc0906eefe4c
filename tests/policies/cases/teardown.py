"""Cases of the rules about what ceilings cost, providers and the order of a destroy."""

from typing import Any

from policies import UNKNOWN

from .stacks import (
    Build,
    beside,
    broken,
    fails,
    foreign,
    node_pool,
    of,
    passes,
    provided,
    release,
    requirement,
    resource,
    severed,
    shipped,
    undecided,
)

_TYPE, _ZONE, _BUYS = "node.kubernetes.io/instance-type", "topology.kubernetes.io/zone", "karpenter.sh/capacity-type"
_LIMITS, _NODE = ("spec", "limits"), ("spec", "template", "spec")
_G6 = 0.8048
"""Dollars an hour of a g6.xlarge in us-east-1."""


def _pool(*requirements: Any, limits: Any = None, types: tuple[str, ...] = ("g6.xlarge",), name: str = "theirs") -> Any:
    given = {"nvidia.com/gpu": 10} if limits is None else limits
    return node_pool(requirement(_TYPE, *types), *requirements, limits=given, name=name)


def _overlay(capacity: Any, *requirements: Any, pool: str = "theirs") -> Any:
    asked = [requirement("karpenter.sh/nodepool", pool), *requirements]
    return resource(
        "kubernetes:karpenter.sh/v1alpha1:NodeOverlay",
        "overlay",
        {"spec": {"requirements": asked, "capacity": capacity}},
    )


_SLICED = {"nvidia.com/gpu.shared": 40}
_TOLD = _overlay({"nvidia.com/gpu": "0", "nvidia.com/gpu.shared": "4"}, requirement(_TYPE, "g6.xlarge"))


CEILING = of(
    "under-hourly-ceiling",
    passes("no ceiling set", shipped("prod")),
    passes("a ceiling that is high enough", shipped("prod"), hourlyUsd=1000),
    passes("just under", foreign(_pool()), hourlyUsd=_G6 * 10),
    passes("CPUs", foreign(node_pool(requirement(_TYPE, "m7i.xlarge"), limits={"cpu": 1000})), hourlyUsd=1),
    passes("what is reserved and paid anyway", foreign(_pool(requirement(_BUYS, "reserved"))), hourlyUsd=1),
    passes("slices, counted as the GPUs they are of", foreign(_pool(limits=_SLICED), _TOLD), hourlyUsd=_G6 * 10),
    passes("slices whose overlay follows one of another pool", foreign(
        _pool(limits=_SLICED), _overlay({"nvidia.com/gpu.shared": 1}, requirement(_TYPE, "g6.xlarge"), pool="others"), _TOLD), hourlyUsd=_G6 * 10),
    passes("an overlay about other resources, which counts whole GPUs", foreign(_pool(), _overlay({"vpc.amazonaws.com/efa": 1}, requirement(_TYPE, "g6.xlarge"))),
           hourlyUsd=_G6 * 10),
    fails("just above", foreign(_pool()), "theirs", hourlyUsd=_G6 * 10 - 0.01),
    fails("the prod stack", shipped("prod"), "train-h100-node-pool", hourlyUsd=100, words=("allowed are 100.00 $", "most of it: train-h100-node-pool")),
    fails("two pools, the second costs most", foreign(_pool(name="small", limits={"nvidia.com/gpu": 1}), _pool(name="large")), "large", hourlyUsd=1,
          words="most of it: large"),
    fails("two pools, the first costs most", foreign(_pool(name="large"), _pool(name="small", limits={"nvidia.com/gpu": 1})), "large", hourlyUsd=1,
          words="most of it: large"),
    fails("a higher limit", broken("dev", "NodePool", "", _LIMITS, {"nvidia.com/gpu.shared": "400"}), "shared-l4-node-pool", hourlyUsd=100, words="shared-l4"),
    fails("slices above", foreign(_pool(limits=_SLICED), _TOLD), "theirs", hourlyUsd=_G6 * 10 - 0.01),
    fails("the dearest type counts", foreign(_pool(types=("g6.xlarge", "p5.48xlarge"))), "theirs", hourlyUsd=_G6 * 10),
    fails("some reserved, the rest on demand", foreign(_pool(requirement(_BUYS, "reserved", "on-demand"))), "theirs", hourlyUsd=1),
    fails("a region by its zone", foreign(_pool(requirement(_ZONE, "us-east-1a"))), "theirs", hourlyUsd=1),
    fails("another region by its zone", foreign(_pool(requirement(_ZONE, "us-west-2a"))), "theirs", hourlyUsd=_G6 * 10 - 0.01),
    undecided("a region whose prices nobody wrote down", foreign(_pool(requirement(_ZONE, "xx-nowhere-1a"))), hourlyUsd=1),
    undecided("limits not known", broken("prod", "NodePool", "infer-l40s", _LIMITS, UNKNOWN), hourlyUsd=1000),
    undecided("one pool not known, the other as dear as all may be", foreign(_pool(name="known"), _pool(name="unclear", limits=UNKNOWN)), "known", hourlyUsd=_G6 * 10),
    undecided("neither of two pools known", foreign(_pool(limits=UNKNOWN, name="one"), _pool(name="two", limits=UNKNOWN)), "one", hourlyUsd=1),
    undecided("one limit not known", broken("prod", "NodePool", "infer-l40s", (*_LIMITS, "nvidia.com/gpu"), UNKNOWN), hourlyUsd=1000),
    fails("one limit not known, the rest above", foreign(_pool(name="above"), _pool(name="unclear", limits=UNKNOWN)), "above", hourlyUsd=1),
    fails("one limit not known, the last above", foreign(_pool(name="unclear", limits=UNKNOWN), _pool(name="above")), "above", hourlyUsd=1),
    fails("no limits, so no ceiling at all", foreign(_pool(limits={"cpu": 8})), "theirs", hourlyUsd=1000),
    undecided("any GPU, of which some have no price", foreign(
        node_pool(requirement("karpenter.k8s.aws/instance-gpu-manufacturer", "nvidia"), limits={"nvidia.com/gpu": 99})), hourlyUsd=1),
    passes("an overlay for the whole pool", foreign(_pool(), _overlay({"nvidia.com/gpu": 1})), hourlyUsd=_G6 * 10),
)  # fmt: skip

_PROVIDER = "urn:pulumi:live::theirs::pulumi:providers:aws::"


def _made_by(provider: str, type_: str = "aws:sqs/queue:Queue") -> Build:
    return foreign(resource(type_, "theirs", provider=provider))


EXPLICIT = of(
    "no-default-providers",
    passes("explicit providers", shipped("prod")),
    passes("providers of others", _made_by(f"{_PROVIDER}ours")),
    passes("resources that no credentials are for", _made_by("", "random:index/randomId:RandomId")),
    fails("none", provided("prod", "Queue", "", ""), "gpu-prod-karpenter-interruption-queue", words="whatever aws credentials"),
    fails("the default", provided("prod", "Queue", "", f"{_PROVIDER}default_7_51_1"), "gpu-prod-karpenter-interruption-queue"),
    fails("the default one for Kubernetes", _made_by("", "kubernetes:core/v1:Namespace"), "theirs", words="whatever kubernetes"),
    passes("an explicit provider called default-us", _made_by(f"{_PROVIDER}default-us")),
    passes("a component, which has no provider", _made_by("", "kubernetes:yaml:ConfigFile")),
    fails("the default one of the native AWS provider", _made_by("", "aws-native:eks:Cluster"), "theirs"),
)  # fmt: skip

_CONTROLLER, _CRDS, _IDENTITY = "gpu-prod-karpenter-controller", "gpu-prod-karpenter-crd", "gpu-prod-karpenter-identity"
_KARPENTER = release("oci://public.ecr.aws/karpenter/karpenter", "karpenter")
_LOOSE = node_pool(requirement(_TYPE, "g6.xlarge"))


def _bound(*dependencies: str) -> Any:
    return resource("kubernetes:karpenter.sh/v1:NodePool", "bound", dependencies=dependencies)


POOLS_FIRST = of(
    "pools-before-karpenter",
    passes("in order", shipped("prod")),
    passes("Karpenter from elsewhere", foreign(_LOOSE, release("nginx"))),
    passes("directly bound", foreign(_KARPENTER, _bound(_KARPENTER.urn))),
    passes("bound to something outside and to Karpenter", foreign(_KARPENTER, _bound(_KARPENTER.urn, "urn:pulumi:live::theirs::a:b:C::gone"))),
    fails("a node class cut loose, and its pool with it", severed("prod", "EC2NodeClass", "infer-l40s", _CONTROLLER), "infer-l40s-node-class", "infer-l40s-node-pool"),
    fails("a pool cut loose", severed("prod", "NodePool", "infer-l40s", "infer-l40s-node-class"), "infer-l40s-node-pool", words="depend on Karpenter's release"),
    fails("a pool of others", foreign(_KARPENTER, _LOOSE), "theirs"),
    fails("bound to the custom resources alone", foreign(_KARPENTER, release("karpenter-crd", "crds"), _bound(release("karpenter-crd", "crds").urn)), "bound"),
    fails("bound in a circle that Karpenter is not in", foreign(_KARPENTER, _bound(_bound().urn)), "bound"),
    undecided("which chart it is not known", foreign(resource("kubernetes:helm.sh/v3:Release", "theirs", {"chart": UNKNOWN}), _LOOSE)),
)  # fmt: skip


def _association(**inputs: Any) -> Any:
    return resource("aws:eks/podIdentityAssociation:PodIdentityAssociation", "identity", inputs)


IDENTITY_LAST = of(
    "karpenter-before-identity",
    passes("in order", shipped("prod")),
    passes("identities of others", foreign(_KARPENTER, _association(serviceAccount="external-dns"))),
    passes("no identity here", foreign(_KARPENTER)),
    passes("charts of others", foreign(release("nginx"), _association(serviceAccount="karpenter"))),
    passes("bound by way of the custom resources", severed("prod", "Release", _CONTROLLER, _IDENTITY)),
    fails("cut loose", severed(severed("prod", "Release", _CRDS, _IDENTITY), "Release", _CONTROLLER, _IDENTITY), _CONTROLLER, words=_IDENTITY),
    fails("a program of others", foreign(_association(serviceAccount="karpenter"), _KARPENTER), "karpenter"),
    undecided("which chart it is not known", broken("prod", "Release", _CONTROLLER, ("chart",), UNKNOWN)),
    undecided("whose identity it is not known", foreign(_association(serviceAccount=UNKNOWN), _KARPENTER)),
    fails("a service account of another name", beside(foreign(_association(serviceAccount="karpenter-gpu")),
          release("karpenter", values={"serviceAccount": {"name": "karpenter-gpu"}})), "theirs"),
)  # fmt: skip

CASES = (*CEILING, *EXPLICIT, *POOLS_FIRST, *IDENTITY_LAST)
