"""Cases of the rules about the control plane, as pulumi-eks and as aws.eks.Cluster."""

from typing import Any

from policies import UNKNOWN

from .stacks import GONE, Build, beside, broken, fails, foreign, of, passes, resource, shipped, undecided

_NAME = "gpu-prod-cluster-eks"
_ANY, _OFFICE = "0.0.0.0/0", "8.8.8.0/24"
_SAFE: dict[str, Any] = {
    "version": "1.36",
    "deletionProtection": True,
    "enabledClusterLogTypes": ["audit", "authenticator"],
    "vpcConfig": {"endpointPublicAccess": False},
    "accessConfig": {"authenticationMode": "API", "bootstrapClusterCreatorAdminPermissions": False},
    "encryptionConfig": {
        "provider": {"keyArn": "arn:aws:kms:us-east-1:111122223333:key/one"},
        "resources": ["secrets"],
    },
}
"""An aws.eks.Cluster with which every rule is content."""


def _ours(field: str, value: Any) -> Build:
    return broken("prod", "eks:index:Cluster", "", (field,), value)


def _native(**inputs: Any) -> Build:
    return foreign(resource("aws:eks/cluster:Cluster", "native", {**_SAFE, **inputs}))


def _public(**vpc: Any) -> Build:
    return _native(vpcConfig={"subnetIds": [UNKNOWN], **vpc})


_CLOUD_CONTROL: dict[str, Any] = {
    "version": "1.36",
    "deletionProtection": True,
    "logging": {"clusterLogging": {"enabledTypes": [{"type": "audit"}, {"type": "authenticator"}]}},
    "resourcesVpcConfig": {"endpointPublicAccess": False},
    "accessConfig": {"authenticationMode": "API", "bootstrapClusterCreatorAdminPermissions": False},
    "encryptionConfig": [
        {"provider": {"keyArn": "arn:aws:kms:us-east-1:111122223333:key/one"}, "resources": ["secrets"]}
    ],
}
"""The same of the Cloud Control provider."""


def _cloud_control(**inputs: Any) -> Build:
    return foreign(resource("aws-native:eks:Cluster", "native", {**_CLOUD_CONTROL, **inputs}))


def _bare(type_: str) -> Build:
    return foreign(resource(type_, "bare"))


OTHERS = _bare("aws:ecs/cluster:Cluster")
"""A cluster that is none of Kubernetes."""

CLOSED = of(
    "api-not-public",
    passes("a cluster of the Cloud Control provider", _cloud_control()),
    fails("such a cluster, wrong", _cloud_control(resourcesVpcConfig={"publicAccessCidrs": [_ANY]}), "native"),
    passes("private", shipped("prod")),
    passes("public for some", shipped("dev")),
    passes("a native cluster, private", _native()),
    passes("a native cluster, public for some", _public(publicAccessCidrs=[_OFFICE])),
    passes("clusters of other kinds", OTHERS),
    fails("public for all, left to the default", _ours("endpointPublicAccess", True), _NAME),
    fails("public for all", broken("dev", "eks:index:Cluster", "", ("publicAccessCidrs",), [_OFFICE, _ANY]), "gpu-dev-cluster-eks"),
    fails("pulumi-eks as it comes", _bare("eks:index:Cluster"), "bare"),
    fails("a native cluster as it comes", _bare("aws:eks/cluster:Cluster"), "bare"),
    fails("a native cluster, public for all", _public(publicAccessCidrs=[_ANY]), "native"),
    fails("a native cluster, public for nobody named", _public(endpointPublicAccess=True, publicAccessCidrs=[]), "native"),
    fails("the internet in two halves", _public(publicAccessCidrs=["0.0.0.0/1", "128.0.0.0/1"]), "native"),
    fails("every IPv6 address", _public(publicAccessCidrs=["::/0"]), "native"),
    undecided("the native VPC config not known", _native(vpcConfig=UNKNOWN), "native"),
    undecided("the blocks not known", _public(publicAccessCidrs=UNKNOWN), "native"),
    undecided("one block not known", _public(publicAccessCidrs=[_OFFICE, UNKNOWN]), "native"),
    undecided("whether it is public is not known", _public(endpointPublicAccess=UNKNOWN), "native"),
    passes("whether it is public is not known, for whom is", _public(endpointPublicAccess=UNKNOWN, publicAccessCidrs=[_OFFICE])),
)  # fmt: skip

ENTRIES = of(
    "access-entries",
    passes("a cluster of the Cloud Control provider", _cloud_control()),
    fails("such a cluster, wrong", _cloud_control(accessConfig={"authenticationMode": "CONFIG_MAP"}), "native"),
    passes("entries alone", shipped("prod")),
    passes("a native cluster, entries alone", _native()),
    passes("clusters of other kinds", OTHERS),
    fails("both", _ours("authenticationMode", "API_AND_CONFIG_MAP"), _NAME, words="mode API_AND_CONFIG_MAP"),
    fails("the default of pulumi-eks", _ours("authenticationMode", GONE), _NAME, words="mode CONFIG_MAP"),
    fails("a native cluster as it comes", _bare("aws:eks/cluster:Cluster"), "bare"),
    fails("a native cluster, both", _native(accessConfig={"authenticationMode": "API_AND_CONFIG_MAP"}), "native"),
    undecided("not known", _ours("authenticationMode", UNKNOWN), _NAME),
    undecided("not known of a native cluster", _native(accessConfig=UNKNOWN), "native"),
)  # fmt: skip

CREATOR = of(
    "creator-not-admin",
    passes("a cluster of the Cloud Control provider", _cloud_control()),
    fails("such a cluster, wrong", _cloud_control(accessConfig={"authenticationMode": "API"}), "native"),
    passes("pulumi-eks, whose native cluster is judged", shipped("prod")),
    passes("off", _native()),
    passes("clusters of other kinds", OTHERS),
    fails("a native cluster beside ours, as it comes", beside("prod", resource("aws:eks/cluster:Cluster", "native")), "native"),
    fails("on", _native(accessConfig={"authenticationMode": "API", "bootstrapClusterCreatorAdminPermissions": True}), "native"),
    fails("not said", _native(accessConfig={"authenticationMode": "API"}), "native"),
    undecided("not known", _native(accessConfig={"bootstrapClusterCreatorAdminPermissions": UNKNOWN}), "native"),
)  # fmt: skip

ENCRYPTED = of(
    "secrets-encrypted",
    passes("a cluster of the Cloud Control provider", _cloud_control()),
    fails("such a cluster, wrong", _cloud_control(encryptionConfig=None), "native"),
    passes("a key that is made here and not known", shipped("prod")),
    passes("a native cluster with a key", _native()),
    passes("clusters of other kinds", OTHERS),
    fails("no key", _ours("encryptionConfigKeyArn", GONE), _NAME),
    fails("an empty key", _ours("encryptionConfigKeyArn", ""), _NAME),
    fails("a native cluster without", _native(encryptionConfig=None), "native"),
    fails("a native cluster with the field of pulumi-eks", _native(encryptionConfig=None, encryptionConfigKeyArn="arn"), "native"),
)  # fmt: skip

LOGGED = of(
    "control-plane-logged",
    passes("a cluster of the Cloud Control provider", _cloud_control()),
    fails("such a cluster, wrong", _cloud_control(logging=None), "native"),
    passes("all logged", shipped("prod"), logTypes=["api", "audit", "authenticator", "controllerManager", "scheduler"]),
    passes("a native cluster, the required logged", _native()),
    passes("none required", _bare("aws:eks/cluster:Cluster"), logTypes=[]),
    passes("clusters of other kinds", OTHERS),
    fails("one missing", _ours("enabledClusterLogTypes", ["api", "audit"]), _NAME, words="does not log authenticator;"),
    fails("none", _ours("enabledClusterLogTypes", GONE), _NAME, words="audit, authenticator"),
    fails("fewer than the environment asks for", _native(), "native", logTypes=["audit", "scheduler"], words="does not log scheduler;"),
    undecided("not known", _ours("enabledClusterLogTypes", UNKNOWN), _NAME),
    undecided("one not known", _ours("enabledClusterLogTypes", ["audit", UNKNOWN]), _NAME),
)  # fmt: skip

SUPPORTED = of(
    "kubernetes-supported",
    passes("a cluster of the Cloud Control provider", _cloud_control()),
    fails("such a cluster, wrong", _cloud_control(version="1.20"), "native"),
    passes("a version of the catalogue", shipped("prod")),
    passes("a native cluster", _native()),
    passes("another one that the environment allows", _native(version="1.99"), versions=["1.99"]),
    passes("clusters of other kinds", OTHERS),
    fails("an old one", _ours("version", "1.29"), _NAME, words="Kubernetes 1.29"),
    fails("none", _ours("version", GONE), _NAME, words="of no stated version"),
    fails("one that the environment does not allow", _native(), "native", versions=["1.35"]),
    undecided("not known", _ours("version", UNKNOWN), _NAME),
)  # fmt: skip

PROTECTED = of(
    "deletion-protected",
    passes("a cluster of the Cloud Control provider", _cloud_control()),
    fails("such a cluster, wrong", _cloud_control(deletionProtection=None), "native"),
    passes("protected", shipped("prod")),
    passes("a native cluster", _native()),
    passes("clusters of other kinds", OTHERS),
    fails("the dev stack", shipped("dev"), "gpu-dev-cluster-eks"),
    fails("off", _ours("deletionProtection", False), _NAME),
    fails("not said", _ours("deletionProtection", GONE), _NAME),
    undecided("not known", _ours("deletionProtection", UNKNOWN), _NAME),
)  # fmt: skip


def _group(name: str, **inputs: Any) -> Any:
    return resource("aws:eks/nodeGroup:NodeGroup", name, inputs)


def _nodes(version: Any) -> Build:
    return broken("prod", "NodeGroup", "", ("version",), version)


_CONTROL = resource("aws:eks/cluster:Cluster", "native", _SAFE)

SKEW = of(
    "version-skew",
    passes("nodes as the control plane", shipped("prod")),
    passes("nodes three minors behind", _nodes("1.33")),
    passes("nodes that follow the control plane", _nodes(GONE)),
    passes("a native cluster and its nodes", foreign(_CONTROL, _group("old", version="1.35"))),
    passes("nodes without control plane", foreign(_group("old", version="1.20"), resource("aws:ecs/cluster:Cluster", "other", {"version": "1.36"}))),
    passes("a control plane without version, which another rule calls wrong", foreign(resource("aws:eks/cluster:Cluster", "bare"), _group("old", version="1.20"))),
    fails("nodes four minors behind", _nodes("1.32"), "gpu-prod-system-group", words="4 minor"),
    fails("nodes ahead", _nodes("1.37"), "gpu-prod-system-group"),
    fails("nodes of others far behind", foreign(_CONTROL, _group("old", version="1.30")), "old"),
    undecided("the control plane's version not known", _ours("version", UNKNOWN)),
    undecided("the nodes' version not known", _nodes(UNKNOWN)),
    fails("one group not known, another wrong", beside(_nodes(UNKNOWN), _group("old", version="1.20")), "old", unclear="gpu-prod-system-group"),
    passes("two clusters, each with nodes of its version", foreign(
        _CONTROL, resource("aws:eks/cluster:Cluster", "second", {"version": "1.31", "name": "second"}),
        _group("new", version="1.36"), _group("old", version="1.31", clusterName="second"))),
)  # fmt: skip

CASES = (*CLOSED, *ENTRIES, *CREATOR, *ENCRYPTED, *LOGGED, *SUPPORTED, *PROTECTED, *SKEW)
