"""Losses with a resource that is deleted or replaced, by type: data, access, nodes, work, or nothing."""

from dataclasses import dataclass
from typing import Literal

from ..catalog import namespaces
from .effects import Verdict

Loss = Literal["data", "zone", "access", "nodes", "work", "program", "setting"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rating:
    """The verdicts on a resource that goes for good, and on a resource that is made anew."""

    deleted: Verdict
    replaced: Verdict


RATINGS: dict[Loss, Rating] = {
    # It holds things that no new resource has.
    "data": Rating(deleted="loses-data-or-access", replaced="loses-data-or-access"),
    # Volumes of EBS stay in the zone, where no node can start without a subnet; a new subnet there reaches them again.
    "zone": Rating(deleted="loses-data-or-access", replaced="replaces-resources"),
    # People and programs lose their rights; a new grant gives them back.
    "access": Rating(deleted="loses-data-or-access", replaced="replaces-resources"),
    "nodes": Rating(deleted="drains-nodes", replaced="replaces-resources"),
    # Others work by it, and fail without it; nothing is lost that the stack file does not make again.
    "work": Rating(deleted="replaces-resources", replaced="replaces-resources"),
    # A program that the stack file no longer asks for stops; tenants who lose by it have lines of their own.
    "program": Rating(deleted="safe", replaced="replaces-resources"),
    # It only states a rule or a wish: without it nothing stops and nothing is lost. `replace` stays the engine's word.
    "setting": Rating(deleted="safe", replaced="replaces-resources"),
}

LOST: dict[str, str] = {
    "aws:cloudwatch/logGroup:LogGroup": "its logs are lost",
    "aws:ec2/subnet:Subnet": "volumes in its zone find no node",
    "aws:ec2/vpc:Vpc": "everything in the network goes with it",
    "aws:eks/cluster:Cluster": "everything in the cluster is lost",
    "eks:index:Cluster": "everything in the cluster is lost",
    "aws:kms/key:Key": "nobody can read what it encrypts",
    "aws:s3/bucket:Bucket": "its objects are lost",
    "kubernetes:core/v1:Namespace": "everything in it is lost",
}
"""The loss in words, of the types whose loss is grave and not plain from their name."""

_CORE, _RBAC = "kubernetes:core/v1", "kubernetes:rbac.authorization.k8s.io/v1"
_ADMISSION, _MONITORS = "kubernetes:admissionregistration.k8s.io/v1", "kubernetes:monitoring.coreos.com/v1"

_TYPES: dict[Loss, tuple[str, ...]] = {
    "data": (
        "aws:cloudwatch/logGroup:LogGroup",
        "aws:ec2/vpc:Vpc",
        "aws:eks/cluster:Cluster",
        "aws:kms/key:Key",
        "aws:s3/bucket:Bucket",
        "eks:index:Cluster",
        f"{_CORE}:Namespace",
    ),
    "zone": ("aws:ec2/subnet:Subnet",),
    "access": (
        "aws:eks/accessEntry:AccessEntry",
        "aws:eks/accessPolicyAssociation:AccessPolicyAssociation",
        *(f"{_RBAC}:{kind}" for kind in ("ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding")),
    ),
    "nodes": (
        "aws:eks/nodeGroup:NodeGroup",
        "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass",
        "kubernetes:karpenter.sh/v1:NodePool",
    ),
    "work": (
        # Traffic
        *(f"aws:ec2/{kind}" for kind in ("eip:Eip", "internetGateway:InternetGateway", "natGateway:NatGateway")),
        *(f"aws:ec2/{kind}" for kind in ("route:Route", "routeTable:RouteTable", "securityGroup:SecurityGroup")),
        "aws:ec2/routeTableAssociation:RouteTableAssociation",
        "aws:ec2/vpcEndpoint:VpcEndpoint",
        "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule",
        # Rights of programs in AWS; the identities of tenants are compared by their effect
        *(f"aws:iam/{kind}" for kind in ("policy:Policy", "role:Role", "rolePolicyAttachment:RolePolicyAttachment")),
        "aws:eks/podIdentityAssociation:PodIdentityAssociation",
        # Programs of nodes, and their addresses
        "aws:ec2/placementGroup:PlacementGroup",
        "aws:eks/addon:Addon",
        "kubernetes:apps/v1:DaemonSet",
        *(f"{_CORE}:{kind}" for kind in ("Service", "ServiceAccount")),
        # Messages, and subscriptions that people confirmed by hand
        "aws:sns/topic:Topic",
        "aws:sqs/queue:Queue",
        "kubernetes:storage.k8s.io/v1:StorageClass",  # claims that name it wait without it
    ),
    "program": (
        "kubernetes:apps/v1:Deployment",
        "kubernetes:batch/v1:CronJob",
        "kubernetes:helm.sh/v3:Release",
        "kubernetes:keda.sh/v1alpha1:ScaledObject",
    ),
    "setting": (
        "aws:bcmdata/export:Export",
        "aws:budgets/budget:Budget",
        *(f"aws:cloudwatch/{kind}" for kind in ("eventRule:EventRule", "eventTarget:EventTarget")),
        *(f"aws:costexplorer/anomaly{kind}:Anomaly{kind}" for kind in ("Monitor", "Subscription")),
        *(f"aws:costexplorer/cost{kind}:Cost{kind}" for kind in ("AllocationTag", "Category")),
        "aws:ec2/defaultSecurityGroup:DefaultSecurityGroup",
        "aws:ec2/launchTemplate:LaunchTemplate",
        *(f"aws:s3/bucket{kind}:Bucket{kind}" for kind in ("Policy", "PublicAccessBlock", "LifecycleConfiguration")),
        "aws:s3/bucketServerSideEncryptionConfiguration:BucketServerSideEncryptionConfiguration",
        "aws:sns/topicPolicy:TopicPolicy",
        "aws:sqs/queuePolicy:QueuePolicy",
        *(f"{_ADMISSION}:{kind}AdmissionPolicy" for kind in ("Mutating", "Validating")),
        *(f"{_ADMISSION}:{kind}AdmissionPolicyBinding" for kind in ("Mutating", "Validating")),
        *(f"{_CORE}:{kind}" for kind in ("ConfigMap", "LimitRange", "ResourceQuota", "Secret")),
        "kubernetes:karpenter.sh/v1alpha1:NodeOverlay",
        *(f"{_MONITORS}:{kind}" for kind in ("PodMonitor", "PrometheusRule", "ServiceMonitor")),
        "kubernetes:networking.k8s.io/v1:NetworkPolicy",
        "kubernetes:scheduling.k8s.io/v1:PriorityClass",  # a pool's goes with the pool, and the grant tells it
    ),
}
"""Every type that our stacks plan. Secrets are settings, since the stack's own configuration holds their values."""

LOSSES: dict[str, Loss] = {type_: loss for loss, types in _TYPES.items() for type_ in types}


_WITHOUT_DATA = (namespaces.GPU_OPERATOR, namespaces.HEADROOM, namespaces.KEDA)
"""Namespaces of the platform whose programs keep nothing; Prometheus keeps its volumes in its own."""


def find_rating(type_: str, object_name: str = "") -> Rating | None:
    """Return the verdicts on a type; None if the table does not know the type.

    Args:
        type_: Pulumi's type.
        object_name: Name of the object in Kubernetes, which tells the platform's own namespaces from others.
    """
    loss = LOSSES.get(type_)
    if type_ == f"{_CORE}:Namespace" and object_name in _WITHOUT_DATA:
        loss = "setting"
    return RATINGS[loss] if loss else None
