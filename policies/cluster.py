"""The EKS control plane, as pulumi-eks, aws.eks.Cluster and the Cloud Control provider's make it."""

from typing import Any

from gpu_blueprint.catalog.versions import KUBERNETES

from .network import opens_much
from .rule import UNKNOWN, Report, Resource, Rule, Settings, Stack

_PLACES: dict[str, dict[str, tuple[str, ...]]] = {
    "eks:index:Cluster": {
        "public": ("endpointPublicAccess",),
        "blocks": ("publicAccessCidrs",),
        "mode": ("authenticationMode",),
        "key": ("encryptionConfigKeyArn",),
        "logs": ("enabledClusterLogTypes",),
    },
    "aws:eks/cluster:Cluster": {
        "public": ("vpcConfig", "endpointPublicAccess"),
        "blocks": ("vpcConfig", "publicAccessCidrs"),
        "mode": ("accessConfig", "authenticationMode"),
        "creator": ("accessConfig", "bootstrapClusterCreatorAdminPermissions"),
        "key": ("encryptionConfig",),
        "logs": ("enabledClusterLogTypes",),
    },
    "aws-native:eks:Cluster": {
        "public": ("resourcesVpcConfig", "endpointPublicAccess"),
        "blocks": ("resourcesVpcConfig", "publicAccessCidrs"),
        "mode": ("accessConfig", "authenticationMode"),
        "creator": ("accessConfig", "bootstrapClusterCreatorAdminPermissions"),
        "key": ("encryptionConfig",),
        "logs": ("logging", "clusterLogging", "enabledTypes"),
    },
}
"""Where each kind of EKS cluster says what; ``version``, ``name`` and ``deletionProtection`` stand at the top of all."""


def _is_cluster(resource: Resource) -> bool:
    return resource.type in _PLACES


def _said(cluster: Resource, what: str, default: Any = None) -> Any:
    return cluster.get(*_PLACES[cluster.type][what], default=default)


def _api_closed(cluster: Resource, report: Report, _: Settings) -> None:
    if not _is_cluster(cluster):
        return
    cidrs = _said(cluster, "blocks")
    if (not cidrs or opens_much(list(cidrs))) and _said(cluster, "public", default=True):
        report(f"the Kubernetes API of {cluster.name} is open to the world")


def _access_entries(cluster: Resource, report: Report, _: Settings) -> None:
    if _is_cluster(cluster) and (mode := _said(cluster, "mode", default="CONFIG_MAP")) != "API":
        report(f"{cluster.name} takes access from the aws-auth config map (mode {mode})")


def _creator_not_admin(cluster: Resource, report: Report, _: Settings) -> None:
    if not _is_cluster(cluster) or "creator" not in _PLACES[cluster.type]:  # pulumi-eks makes an aws.eks.Cluster
        return
    if _said(cluster, "creator", default=True) is not False:
        report(f"whoever creates {cluster.name} stays its admin, in no list and for ever")


def _secrets_encrypted(cluster: Resource, report: Report, _: Settings) -> None:
    if _is_cluster(cluster):
        key = cluster.props.get(*_PLACES[cluster.type]["key"])
        if key is not UNKNOWN and not key:
            report(f"Kubernetes secrets of {cluster.name} are not encrypted with a key of yours")


def _logged(cluster: Resource, report: Report, settings: Settings) -> None:
    if _is_cluster(cluster):
        given = [one.get("type") if isinstance(one, dict) else one for one in _said(cluster, "logs", default=[])]
        missing = [kind for kind in settings["logTypes"] if kind not in given]
        if missing:
            report(f"{cluster.name} does not log {', '.join(missing)}")


def _supported(cluster: Resource, report: Report, settings: Settings) -> None:
    if _is_cluster(cluster):
        version = cluster.get("version")
        if version not in settings["versions"]:
            report(
                f"{cluster.name} runs Kubernetes {version or 'of no stated version'}, supported are {', '.join(settings['versions'])}"
            )


def _protected(cluster: Resource, report: Report, _: Settings) -> None:
    if _is_cluster(cluster) and cluster.get("deletionProtection", default=False) is not True:
        report(f"{cluster.name} can be deleted by one command")


def _skew(group: Resource, report: Report, _: Settings, stack: Stack) -> None:
    named = group.props.get("clusterName")
    clusters = [one for one in stack.resources if _is_cluster(one)]
    own = [one for one in clusters if one.props.get("name") == named] if len(clusters) > 1 else clusters
    for cluster in own:
        version = cluster.get("version", default="")
        behind = _minor(version) - _minor(group.get("version", default=version)) if version else 0
        if not 0 <= behind <= 3:
            report(f"nodes of {group.name} are {behind} minor versions behind the control plane")


def _minor(version: str) -> int:
    return int(version.split(".")[1])


RULES = (
    Rule(
        id="api-not-public", kinds=("Cluster",), check=_api_closed,
        looks_at="public access of EKS clusters", passes="it is off or limited to address blocks", fails="0.0.0.0/0 may connect",
        why="everybody may try keys and bugs at your API", fix="switch it off or list the blocks you connect from",
    ),
    Rule(
        id="access-entries", kinds=("Cluster",), check=_access_entries,
        looks_at="authentication mode", passes="it is API: access entries alone decide", fails="the aws-auth config map does too",
        why="one bad edit of a config map locks everybody out", fix="set the mode to API",
    ),
    Rule(
        id="creator-not-admin", kinds=("Cluster",), check=_creator_not_admin,
        looks_at="bootstrapClusterCreatorAdminPermissions of EKS clusters", passes="it is false", fails="it is true or left out",
        why="a CI role keeps full rights that no list shows", fix="set it to false and give admins access entries",
    ),
    Rule(
        id="secrets-encrypted", kinds=("Cluster",), check=_secrets_encrypted,
        looks_at="envelope encryption of secrets", passes="a KMS key is set", fails="none is",
        why="AWS's own key encrypts them, whose use no log of yours shows and which you cannot withdraw", fix="set a KMS key",
    ),
    Rule(
        id="control-plane-logged", kinds=("Cluster",), check=_logged, settings={"logTypes": ["audit", "authenticator"]},
        looks_at="control-plane log types", passes="the required ones are on", fails="one is missing",
        why="after an incident nobody can say who did it", fix="add them to the enabled log types",
    ),
    Rule(
        id="kubernetes-supported", kinds=("Cluster",), check=_supported, settings={"versions": sorted(KUBERNETES)},
        looks_at="the Kubernetes version", passes="it is one that the pins go with", fails="it is another or not stated",
        why="extended support costs six times the control plane, and add-ons do not match", fix="use a supported version",
    ),
    Rule(
        id="deletion-protected", kinds=("Cluster",), check=_protected,
        looks_at="deletion protection", passes="it is on", fails="it is off",
        why="one wrong destroy takes everything", fix="set deletionProtection: true",
    ),
    Rule(
        id="version-skew", kinds=("NodeGroup",), check=_skew, whole=True,
        looks_at="versions of node groups and control plane", passes="nodes are at most three minors behind, never ahead", fails="they are",
        why="kubelets outside the skew lose features or do not join", fix="upgrade the control plane first, then the nodes",
    ),
)  # fmt: skip
