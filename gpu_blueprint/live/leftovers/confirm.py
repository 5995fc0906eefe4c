"""Confirm that an object exists: the tagging API also lists objects that were deleted some time ago.

Reports: github.com/aws/aws-sdk, issues 302 and 676.
"""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from ...config import StackConfig
from ...records import Record, replace
from ..preflight import Account, RefusedError
from .names import GONE, NO_CLUSTER, NO_QUEUE, build_queue_url
from .prices import price_month
from .resource import Arn, Resource


class Look(Record, kw_only=True):
    """The call that shows one object, and its signs that the object is gone."""

    service: str
    operation: str
    build: Callable[[Arn], dict[str, Any]]
    """Parameters of the call."""
    missing: tuple[str, ...]
    """Error codes of an object that does not exist."""
    path: tuple[str, ...] = ()
    """Keys to the description of the object in the answer; a list has one item, or none for a missing object."""
    made: str = ""
    state: str = ""
    gone: frozenset[str] = frozenset()


_NOT_FOUND = ("ResourceNotFoundException",)
_ENDED = frozenset({"deleting", "deleted"})
_CLUSTER = Look(
    service="eks", operation="DescribeCluster", build=lambda arn: {"name": arn.name.split("/")[0]}, missing=NO_CLUSTER
)
_LOAD_BALANCER = Look(
    service="elbv2",
    operation="DescribeLoadBalancers",
    build=lambda arn: {"LoadBalancerArns": [arn.text]},
    missing=("LoadBalancerNotFound",),
    path=("LoadBalancers",),
    made="CreatedTime",
)
LOOKS: dict[str, Look] = {
    "bcm-data-exports:export": Look(
        service="bcm-data-exports",
        operation="GetExport",
        build=lambda arn: {"ExportArn": arn.text},
        missing=_NOT_FOUND,
    ),
    "budgets:budget": Look(
        service="budgets",
        operation="DescribeBudget",
        build=lambda arn: {"AccountId": arn.account, "BudgetName": arn.name},
        missing=("NotFoundException",),
    ),
    "ce:anomalymonitor": Look(
        service="ce",
        operation="GetAnomalyMonitors",
        build=lambda arn: {"MonitorArnList": [arn.text]},
        missing=("UnknownMonitorException",),
        path=("AnomalyMonitors",),
    ),
    "ce:anomalysubscription": Look(
        service="ce",
        operation="GetAnomalySubscriptions",
        build=lambda arn: {"SubscriptionArnList": [arn.text]},
        missing=("UnknownSubscriptionException",),
        path=("AnomalySubscriptions",),
    ),
    "ce:costcategory": Look(
        service="ce",
        operation="DescribeCostCategoryDefinition",
        build=lambda arn: {"CostCategoryArn": arn.text},
        missing=_NOT_FOUND,
    ),
    "ec2:placement-group": Look(
        service="ec2",
        operation="DescribePlacementGroups",
        build=lambda arn: {"GroupNames": [arn.name]},
        missing=("InvalidPlacementGroup.Unknown",),
        path=("PlacementGroups",),
        state="State",
        gone=frozenset({"deleting", "deleted"}),
    ),
    "ec2:security-group-rule": Look(
        service="ec2",
        operation="DescribeSecurityGroupRules",
        build=lambda arn: {"SecurityGroupRuleIds": [arn.name]},
        missing=("InvalidSecurityGroupRuleId.NotFound",),
        path=("SecurityGroupRules",),
    ),
    "ecr:repository": Look(
        service="ecr",
        operation="DescribeRepositories",
        build=lambda arn: {"repositoryNames": [arn.name]},
        missing=("RepositoryNotFoundException",),
        path=("repositories",),
        made="createdAt",
    ),
    "eks:cluster": replace(_CLUSTER, path=("cluster",), made="createdAt", state="status", gone=GONE),
    "eks:nodegroup": Look(
        service="eks",
        operation="DescribeNodegroup",
        build=lambda arn: dict(zip(("clusterName", "nodegroupName"), arn.name.split("/"), strict=False)),
        missing=_NOT_FOUND,
        path=("nodegroup",),
        made="createdAt",
        state="status",
        gone=GONE,
    ),
    # Everything else in a cluster exists as long as the cluster does.
    "eks:access-entry": _CLUSTER,
    "eks:addon": _CLUSTER,
    "eks:podidentityassociation": _CLUSTER,
    "elasticfilesystem:access-point": Look(
        service="efs",
        operation="DescribeAccessPoints",
        build=lambda arn: {"AccessPointId": arn.name},
        missing=("AccessPointNotFound",),
        path=("AccessPoints",),
        state="LifeCycleState",
        gone=_ENDED,
    ),
    "elasticfilesystem:file-system": Look(
        service="efs",
        operation="DescribeFileSystems",
        build=lambda arn: {"FileSystemId": arn.name},
        missing=("FileSystemNotFound",),
        path=("FileSystems",),
        made="CreationTime",
        state="LifeCycleState",
        gone=_ENDED,
    ),
    "elasticloadbalancing:loadbalancer/app": _LOAD_BALANCER,
    "elasticloadbalancing:loadbalancer/net": _LOAD_BALANCER,
    "elasticloadbalancing:targetgroup": Look(
        service="elbv2",
        operation="DescribeTargetGroups",
        build=lambda arn: {"TargetGroupArns": [arn.text]},
        missing=("TargetGroupNotFound",),
        path=("TargetGroups",),
    ),
    "events:rule": Look(
        service="events", operation="DescribeRule", build=lambda arn: {"Name": arn.name}, missing=_NOT_FOUND
    ),
    "fsx:association": Look(
        service="fsx",
        operation="DescribeDataRepositoryAssociations",
        build=lambda arn: {"AssociationIds": [arn.name.split("/")[-1]]},
        missing=("DataRepositoryAssociationNotFound",),
        path=("Associations",),
        made="CreationTime",
        state="Lifecycle",
        gone=GONE,
    ),
    "fsx:file-system": Look(
        service="fsx",
        operation="DescribeFileSystems",
        build=lambda arn: {"FileSystemIds": [arn.name]},
        missing=("FileSystemNotFound",),
        path=("FileSystems",),
        made="CreationTime",
        state="Lifecycle",
        gone=GONE,
    ),
    "iam:instance-profile": Look(
        service="iam",
        operation="GetInstanceProfile",
        build=lambda arn: {"InstanceProfileName": arn.name.split("/")[-1]},
        missing=("NoSuchEntity",),
        path=("InstanceProfile",),
        made="CreateDate",
    ),
    "iam:policy": Look(
        service="iam",
        operation="GetPolicy",
        build=lambda arn: {"PolicyArn": arn.text},
        missing=("NoSuchEntity",),
        path=("Policy",),
        made="CreateDate",
    ),
    "kms:key": Look(
        service="kms",
        operation="DescribeKey",
        build=lambda arn: {"KeyId": arn.text},
        missing=("NotFoundException",),
        path=("KeyMetadata",),
        made="CreationDate",
        state="KeyState",
        gone=frozenset({"PendingDeletion", "PendingReplicaDeletion"}),
    ),
    "logs:log-group": Look(
        service="logs",
        operation="ListTagsForResource",
        build=lambda arn: {"resourceArn": arn.text},
        missing=_NOT_FOUND,
    ),
    "s3": Look(
        service="s3",
        operation="GetBucketTagging",
        build=lambda arn: {"Bucket": arn.name},
        missing=("NoSuchBucket",),
    ),
    "sns": Look(
        service="sns",
        operation="GetTopicAttributes",
        build=lambda arn: {"TopicArn": arn.text},
        missing=("NotFound", "NotFoundException"),
    ),
    "sqs": Look(
        service="sqs",
        operation="GetQueueAttributes",
        build=lambda arn: {"QueueUrl": build_queue_url(arn), "AttributeNames": ["CreatedTimestamp"]},
        missing=NO_QUEUE,
        path=("Attributes",),
        made="CreatedTimestamp",
    ),
}
"""Service and type of an ARN → the call that shows the object."""


def confirm(stack: StackConfig, resource: Resource, account: Account) -> Resource | None:
    """Return the object with what its service says about it, or None if it is gone.

    An object of a kind without a call stays as the tagging API lists it.
    """
    look = LOOKS.get(resource.arn.kind)
    if look is None:
        return resource
    try:
        described = _read(look, account.ask(look.service, look.operation, **look.build(resource.arn)))
    except RefusedError as refusal:
        if refusal.code in look.missing:
            return None
        raise
    if described is None or described.get(look.state) in look.gone:
        return None
    made, month = _read_time(described.get(look.made)), price_month(stack, resource.arn.kind, described)
    return replace(resource, made=made, month=month)


def _read(look: Look, answer: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the description of the object in an answer; None if the list that should have it is empty."""
    found: Any = answer
    for key in look.path:
        found = found.get(key) or {}
    if isinstance(found, list):
        return found[0] if found else None
    return found or ({} if not look.path else None)


def _read_time(value: Any) -> datetime | None:
    """Return a time; SQS writes seconds since 1970 as text."""
    if isinstance(value, str):
        return datetime.fromtimestamp(float(value), UTC)
    return value if isinstance(value, datetime) else None
