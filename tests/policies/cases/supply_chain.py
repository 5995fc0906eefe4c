"""Cases of the rules about charts, add-ons and tags."""

from dataclasses import replace
from typing import Any

from policies import UNKNOWN

from .stacks import GONE, Build, broken, fails, foreign, of, passes, release, resource, shipped, undecided

_OPERATOR = "gpu-prod-gpu-operator-release"
_V4 = "kubernetes:helm.sh/v4:Chart"
_NGC = {"repo": "https://helm.ngc.nvidia.com/nvidia"}


def _chart(path: tuple[str | int, ...], value: Any) -> Build:
    return broken("prod", "Release", "gpu-operator", path, value)


def _version(version: Any, **inputs: Any) -> Build:
    return foreign(release("web", version=version, **inputs))


PINNED = of(
    "chart-pinned",
    passes("exact versions", shipped("prod")),
    passes("with v and build", _version("v1.2.3+build.4")),
    passes("a candidate", _version("1.2.3-rc.1")),
    passes("a chart that Pulumi renders", _version("1.2.3", type_=_V4)),
    fails("none", _chart(("version",), GONE), _OPERATOR, words="chart gpu-operator has the version of the day"),
    fails("a range", _chart(("version",), "~26.7.0"), _OPERATOR, words="version ~26.7.0"),
    fails("a wildcard", _version("1.2.x"), "theirs"),
    fails("two numbers", _version("1.2"), "theirs"),
    fails("a chart without name", foreign(resource("kubernetes:helm.sh/v3:Release", "bare")), "bare", words="chart bare"),
    fails("latest, rendered by Pulumi", _version("latest", type_=_V4), "theirs"),
    undecided("not known", _chart(("version",), UNKNOWN), _OPERATOR),
    passes("a chart that lies in the program's own folder", foreign(release("./charts/ours"))),
)  # fmt: skip

ALLOWED = of(
    "chart-registry-allowed",
    passes("allowed registries", shipped("prod")),
    passes("one that the environment allows", foreign(release("oci://ghcr.io/us/web")), registries=["https://none", "oci://ghcr.io/us/"]),
    fails("another repository", _chart(("repositoryOpts", "repo"), "https://charts.example.com"), _OPERATOR, words="https://charts.example.com"),
    fails("another registry", foreign(release("oci://ghcr.io/someone/web", type_=_V4)), "theirs"),
    fails("no repository", foreign(release("gpu-operator")), "theirs", words="comes from gpu-operator"),
    fails("a chart of the day in no place", foreign(resource("kubernetes:helm.sh/v3:Release", "bare")), "bare"),
    fails("none allowed", shipped("prod"), "gpu-prod-gpu-operator-release", "gpu-prod-karpenter-controller", "gpu-prod-karpenter-crd", "gpu-prod-keda-release", "gpu-prod-monitoring-crd", "gpu-prod-monitoring-release", registries=[]),
    fails("a name that begins like an allowed one", foreign(release("web", repositoryOpts={"repo": "https://helm.ngc.nvidia.com/nvidia-but-not"})), "theirs"),
    undecided("the repository not known", _chart(("repositoryOpts",), UNKNOWN), _OPERATOR),
    undecided("the chart not known", foreign(resource("kubernetes:helm.sh/v3:Release", "theirs", {"chart": UNKNOWN})), "theirs"),
    passes("the chart not known, the repository allowed", foreign(resource("kubernetes:helm.sh/v3:Release", "theirs", {"chart": UNKNOWN, "repositoryOpts": _NGC}))),
)  # fmt: skip

_CNI = "gpu-prod-node-addons-vpc-cni"

ADDONS = of(
    "addon-pinned",
    passes("exact versions", shipped("prod")),
    passes("an add-on of pulumi-eks", foreign(resource("eks:index:Addon", "theirs", {"addonName": "coredns", "addonVersion": "v1.14.3-eksbuild.22"}))),
    fails("none", broken("prod", "Addon", "vpc-cni", ("addonVersion",), GONE), _CNI, words="add-on vpc-cni has the version of the day"),
    fails("latest", broken("prod", "Addon", "vpc-cni", ("addonVersion",), "latest"), _CNI, words="version latest"),
    fails("half a version, no name", foreign(resource("aws:eks/addon:Addon", "theirs", {"addonVersion": "v1.14"})), "theirs", words="add-on theirs"),
    undecided("not known", broken("prod", "Addon", "vpc-cni", ("addonVersion",), UNKNOWN), _CNI),
)  # fmt: skip

_ALL = {"owner": "us", "environment": "test", "cost-center": "7"}
_CLASS = "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass"


def _tagged(type_: str = "aws:sqs/queue:Queue", tags: Any = None, default_tags: Any = None) -> Build:
    return foreign(
        resource(type_, "theirs", {"tags": tags} if tags is not None else {}, default_tags=default_tags or {})
    )


def _no_default_tags() -> Any:
    stack = shipped("dev")()
    return replace(stack, resources=[replace(one, default_tags={}) for one in stack.resources if one.kind == "Vpc"])


TAGS = of(
    "required-tags",
    passes("default tags and tags of node classes", shipped("prod")),
    passes("tags of its own", _tagged(tags=_ALL)),
    passes("some of its own, some of the provider", _tagged(tags={"owner": "us"}, default_tags=_ALL)),
    passes("none required", _tagged(), required=[]),
    passes("what takes no tags", _tagged("aws:ec2/route:Route")),
    passes("a role of Kubernetes", _tagged("kubernetes:rbac.authorization.k8s.io/v1:Role")),
    fails("no tags", _tagged(), "theirs", words="owner, environment, cost-center"),
    fails("one missing", _tagged(tags={"owner": "us", "cost-center": "7"}), "theirs", words="no tag environment;"),
    fails("a provider without default tags", _no_default_tags, "gpu-dev-network-vpc"),
    fails("a node class", broken("prod", "EC2NodeClass", "infer-l40s", ("spec", "tags", "owner"), GONE), "infer-l40s-node-class", words="no tag owner;"),
    fails("a node class without tags", broken("prod", "EC2NodeClass", "infer-l40s", ("spec", "tags"), GONE), "infer-l40s-node-class"),
    fails("one that the environment asks for", _tagged(tags=_ALL), "theirs", required=["team"], words="no tag team;"),
    undecided("a value not known", _tagged(tags={**_ALL, "owner": UNKNOWN}), "theirs"),
    undecided("tags of a node class not known", foreign(resource(_CLASS, "theirs", {"spec": {"tags": UNKNOWN}})), "theirs"),
    undecided("tags not known", _tagged(tags=UNKNOWN), "theirs"),
    fails("an empty value", _tagged(tags={**_ALL, "owner": ""}), "theirs"),
)  # fmt: skip

CASES = (*PINNED, *ALLOWED, *ADDONS, *TAGS)
