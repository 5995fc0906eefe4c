"""Why the platform's roles have their statements, in plain English.

A statement that components/ makes needs its reason here: ``tests/permissions/test_reasons.py`` fails for a plan with a
statement that has none. Grants of tenants have their reasons in ``subjects/tenants/identities.py``.
"""

from collections.abc import Mapping

from ..errors import CatalogError

_OWNED = "that carry the tag of this cluster and of a NodePool"

REASONS: Mapping[str, Mapping[str, str]] = {
    "node-lifecycle": {
        "AllowScopedEC2InstanceAccessActions": "a launch reads images, snapshots, security groups, subnets, capacity"
        " reservations and placement groups, and changes none of them",
        "AllowScopedEC2LaunchTemplateAccessActions": f"a launch uses only launch templates {_OWNED}",
        "AllowScopedEC2InstanceActionsWithTags": "Karpenter launches nodes for pods that wait, and must tag them as the"
        " cluster's in the same request",
        "AllowScopedResourceCreationTagging": "a launch tags instances, volumes and network interfaces; resources that"
        " exist stay as they are",
        "AllowScopedResourceTagging": f"Karpenter writes name and NodeClaim on instances {_OWNED}, after they joined",
        "AllowScopedDeletion": f"Karpenter terminates idle nodes, and deletes launch templates, {_OWNED}",
    },
    "iam-integration": {
        "AllowPassingInstanceRole": "Karpenter launches instances that run as the role of the nodes, and as no other",
        "AllowScopedInstanceProfileCreationActions": "Karpenter makes an instance profile for each EC2NodeClass, tagged"
        " as the cluster's in the same request",
        "AllowScopedInstanceProfileTagActions": "Karpenter keeps the tags of its instance profiles up to date",
        "AllowScopedInstanceProfileActions": "Karpenter puts the role of the nodes into its instance profiles, and"
        " deletes them with their EC2NodeClass",
        "AllowScopedInstanceProfileDeletion": "Karpenter deletes the instance profiles that it made before the stack"
        " file named a profile",
    },
    "eks-integration": {
        "AllowAPIServerEndpointDiscovery": "Karpenter reads the endpoint and the version of its cluster for new nodes",
    },
    "interruption": {
        "AllowInterruptionQueueActions": "Karpenter reads and deletes the messages of EC2 and AWS Health about nodes"
        " that will terminate, and drains these nodes in time",
    },
    "zonal-shift": {
        "AllowZonalShiftStatusReadOnly": "Karpenter launches no nodes in a zone from which the cluster is shifted away;"
        " the condition names the cluster, because the action takes no resource",
    },
    "resource-discovery": {
        "AllowRegionalReadActions": "Karpenter chooses among instance types, zones, subnets, images, spot prices and"
        " capacity reservations; EC2 describes no single resource",
        "AllowSSMReadActions": "Karpenter looks up the AMIs of AWS by their public parameters",
        "AllowPricingReadActions": "Karpenter prefers the cheapest instance types; the price list takes no resource",
        "AllowUnscopedInstanceProfileListAction": "Karpenter finds the instance profiles that it left behind; IAM lists"
        " only all profiles",
        "AllowInstanceProfileReadActions": "Karpenter reads which role an instance profile holds",
    },
    "own-keys": {
        "AllowVolumeKeys": "EC2 encrypts the volumes of nodes and claims with the company's key; this role may use the"
        " key through no other service",
        "AllowVolumeGrants": "EC2 keeps an encrypted volume attached by a grant, which the role hands to EC2 alone",
        "AllowQueueKey": "the messages in the queue of interruptions are encrypted with the company's key",
    },
    "image-cache": {
        "": "the first pull of an image makes its repository in the pull-through cache of ECR",
    },
    "repositories": {
        "": "ECR makes the repositories of the cache with the tags of the stack",
        "AllowImagesKey": "ECR encrypts the repositories of the cache with the company's key, by grants of its own",
    },
    "remote-write": {
        "": "Prometheus writes its metrics to the workspace of Amazon Managed Service for Prometheus",
    },
}
"""Title of a policy → Sid of a statement, or an empty text → reason, as a clause after "because"."""


class UnexplainedError(CatalogError):
    """A role has a statement or a policy without a reason."""


def find_reason(title: str, sid: str) -> str:
    """Return the reason of a statement.

    Raises:
        UnexplainedError: The table has no reason.
    """
    try:
        return REASONS[title][sid]
    except KeyError:
        name = f"the statement {sid or 'without Sid'} of the policy {title}"
        raise UnexplainedError(f"{name} has no reason in gpu_blueprint/permissions/reasons.py") from None
