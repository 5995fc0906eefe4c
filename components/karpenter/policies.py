"""The IAM policies of Karpenter's controller: the six policies of Karpenter's documentation, for one cluster.

Source: aws/karpenter-provider-aws v1.14.1 getting-started cloudformation.yaml (2026-08-21). Karpenter v1.15 adds the
action ``ec2:RebootInstances``. It serves only ``rebootForRepair``, which is off here, so the policies leave it out.
"""

from collections.abc import Sequence
from typing import Any

from gpu_blueprint.config import StackConfig

_TAGGED_AT_LAUNCH = ("fleet", "instance", "volume", "network-interface", "launch-template", "spot-instances-request")
_DESCRIBED = (
    "CapacityReservations",
    "Images",
    "Instances",
    "InstanceStatus",
    "InstanceTypeOfferings",
    "InstanceTypes",
    "LaunchTemplates",
    "PlacementGroups",
    "SecurityGroups",
    "SpotPriceHistory",
    "Subnets",
)


def build_controller_policies(config: StackConfig, *, node_role_arn: str, queue_arn: str) -> dict[str, dict[str, Any]]:
    """Return the policies of the controller's role: name → document without version."""
    statements = {
        "node-lifecycle": _allow_node_lifecycle(config),
        "iam-integration": _allow_instance_profiles(config, node_role_arn),
        "eks-integration": [_allow("AllowAPIServerEndpointDiscovery", "eks:DescribeCluster", _cluster_arn(config))],
        "interruption": [
            _allow(
                "AllowInterruptionQueueActions",
                ["sqs:DeleteMessage", "sqs:GetQueueUrl", "sqs:ReceiveMessage"],
                queue_arn,
            )
        ],
        "zonal-shift": [
            _allow(
                "AllowZonalShiftStatusReadOnly",
                "arc-zonal-shift:GetManagedResource",
                "*",
                {"StringEquals": {"arc-zonal-shift:ResourceIdentifier": _cluster_arn(config)}},
            )
        ],
        "resource-discovery": _allow_discovery(config),
    }
    return {name: {"Statement": listed} for name, listed in statements.items()}


def _allow(
    sid: str, actions: str | list[str], resources: str | list[str], condition: dict[str, Any] | None = None
) -> dict[str, Any]:
    statement: dict[str, Any] = {"Sid": sid, "Effect": "Allow", "Action": actions, "Resource": resources}
    return statement | ({"Condition": condition} if condition else {})


def _cluster_arn(config: StackConfig) -> str:
    return config.arn("eks", f"cluster/{config.cluster_name}")


def _ec2_arns(config: StackConfig, kinds: Sequence[str], account: str = "*") -> list[str]:
    return [f"arn:aws:ec2:{config.region}:{account}:{kind}/*" for kind in kinds]


def _allow_node_lifecycle(config: StackConfig) -> list[dict[str, Any]]:
    owned = {
        "StringEquals": {f"aws:ResourceTag/{_cluster_tag(config)}": "owned"},
        "StringLike": {"aws:ResourceTag/karpenter.sh/nodepool": "*"},
    }
    used = _ec2_arns(config, ("image", "snapshot"), "") + _ec2_arns(
        config, ("security-group", "subnet", "capacity-reservation", "placement-group")
    )
    launch = ["ec2:RunInstances", "ec2:CreateFleet"]
    return [
        _allow("AllowScopedEC2InstanceAccessActions", launch, used),
        _allow("AllowScopedEC2LaunchTemplateAccessActions", launch, _ec2_arns(config, ("launch-template",)), owned),
        *_allow_tagged_launches(config, [*launch, "ec2:CreateLaunchTemplate"]),
        _allow(
            "AllowScopedResourceTagging",
            "ec2:CreateTags",
            _ec2_arns(config, ("instance",)),
            {
                **owned,
                "StringEqualsIfExists": {"aws:RequestTag/eks:eks-cluster-name": config.cluster_name},
                "ForAllValues:StringEquals": {
                    "aws:TagKeys": ["eks:eks-cluster-name", "karpenter.sh/nodeclaim", "Name"]
                },
            },
        ),
        _allow(
            "AllowScopedDeletion",
            ["ec2:TerminateInstances", "ec2:DeleteLaunchTemplate"],
            _ec2_arns(config, ("instance", "launch-template")),
            owned,
        ),
    ]


def _allow_tagged_launches(config: StackConfig, launch: list[str]) -> list[dict[str, Any]]:
    """Allow a launch, and tags on it, only if the same request marks the result as owned by the cluster."""
    requested = {
        f"aws:RequestTag/{_cluster_tag(config)}": "owned",
        "aws:RequestTag/eks:eks-cluster-name": config.cluster_name,
    }
    created = {"ec2:CreateAction": ["RunInstances", "CreateFleet", "CreateLaunchTemplate"]}
    pool = {"aws:RequestTag/karpenter.sh/nodepool": "*"}
    made = _ec2_arns(config, _TAGGED_AT_LAUNCH)
    return [
        _allow("AllowScopedEC2InstanceActionsWithTags", launch, made, {"StringEquals": requested, "StringLike": pool}),
        _allow(
            "AllowScopedResourceCreationTagging",
            "ec2:CreateTags",
            made,
            {"StringEquals": {**requested, **created}, "StringLike": pool},
        ),
    ]


def _cluster_tag(config: StackConfig) -> str:
    return f"kubernetes.io/cluster/{config.cluster_name}"


def _allow_instance_profiles(config: StackConfig, node_role_arn: str) -> list[dict[str, Any]]:
    profiles = config.arn("iam", "instance-profile/*", region=False)
    cluster_tag = _cluster_tag(config)
    region_tag, class_tag = "topology.kubernetes.io/region", "karpenter.k8s.aws/ec2nodeclass"
    requested = {
        f"aws:RequestTag/{cluster_tag}": "owned",
        "aws:RequestTag/eks:eks-cluster-name": config.cluster_name,
        f"aws:RequestTag/{region_tag}": config.region,
    }
    owned = {f"aws:ResourceTag/{cluster_tag}": "owned", f"aws:ResourceTag/{region_tag}": config.region}
    return [
        _allow(
            "AllowPassingInstanceRole",
            "iam:PassRole",
            node_role_arn,
            {"StringEquals": {"iam:PassedToService": "ec2.amazonaws.com"}},
        ),
        _allow(
            "AllowScopedInstanceProfileCreationActions",
            "iam:CreateInstanceProfile",
            profiles,
            {"StringEquals": requested, "StringLike": {f"aws:RequestTag/{class_tag}": "*"}},
        ),
        _allow(
            "AllowScopedInstanceProfileTagActions",
            "iam:TagInstanceProfile",
            profiles,
            {
                "StringEquals": {**owned, **requested},
                "StringLike": {f"aws:ResourceTag/{class_tag}": "*", f"aws:RequestTag/{class_tag}": "*"},
            },
        ),
        _allow(
            "AllowScopedInstanceProfileActions",
            ["iam:AddRoleToInstanceProfile", "iam:RemoveRoleFromInstanceProfile", "iam:DeleteInstanceProfile"],
            profiles,
            {"StringEquals": owned, "StringLike": {f"aws:ResourceTag/{class_tag}": "*"}},
        ),
    ]


def _allow_discovery(config: StackConfig) -> list[dict[str, Any]]:
    here = {"StringEquals": {"aws:RequestedRegion": config.region}}
    return [
        _allow("AllowRegionalReadActions", [f"ec2:Describe{kind}" for kind in _DESCRIBED], "*", here),
        _allow("AllowSSMReadActions", "ssm:GetParameter", f"arn:aws:ssm:{config.region}::parameter/aws/service/*"),
        _allow("AllowPricingReadActions", "pricing:GetProducts", "*"),
        _allow("AllowUnscopedInstanceProfileListAction", "iam:ListInstanceProfiles", "*"),
        _allow(
            "AllowInstanceProfileReadActions",
            "iam:GetInstanceProfile",
            config.arn("iam", "instance-profile/*", region=False),
        ),
    ]
