"""The IAM policies of Karpenter's controller: the six policies of Karpenter's documentation, for one cluster.

``cluster.instanceStatusRepair: false`` leaves out ``ec2:DescribeInstanceStatus``, the only switch of Karpenter's
controller interruption.instancestatus: it has no feature gate and no setting.

Source: aws/karpenter-provider-aws v1.14.1 getting-started cloudformation.yaml (2026-08-21). Karpenter v1.15 adds the
action ``ec2:RebootInstances``. It serves only ``rebootForRepair``, which is off here, so the policies leave it out.
"""

from collections.abc import Sequence
from typing import Any

import pulumi

from gpu_blueprint.config import StackConfig

_TAGGED_AT_LAUNCH = ("fleet", "instance", "volume", "network-interface", "launch-template", "spot-instances-request")
_STATUS = "InstanceStatus"
_DESCRIBED = (
    "CapacityReservations",
    "Images",
    "Instances",
    _STATUS,
    "InstanceTypeOfferings",
    "InstanceTypes",
    "LaunchTemplates",
    "PlacementGroups",
    "SecurityGroups",
    "SpotPriceHistory",
    "Subnets",
)


def build_controller_policies(
    config: StackConfig, *, node_role_arn: pulumi.Input[str], queue_arn: str
) -> dict[str, dict[str, Any]]:
    """Return the policies of the controller's role: name → document without version."""
    statements = {
        "node-lifecycle": _allow_node_lifecycle(config),
        "iam-integration": _allow_instance_profiles(config, node_role_arn),
        "eks-integration": [
            _allow("AllowAPIServerEndpointDiscovery", "eks:DescribeCluster", _build_cluster_arn(config))
        ],
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
                {"StringEquals": {"arc-zonal-shift:ResourceIdentifier": _build_cluster_arn(config)}},
            )
        ],
        "resource-discovery": _allow_discovery(config),
    }
    return {name: {"Statement": entries} for name, entries in statements.items()}


def _allow(
    sid: str,
    actions: str | list[str],
    resources: pulumi.Input[str] | list[str],
    condition: dict[str, Any] | None = None,
) -> dict[str, Any]:
    statement: dict[str, Any] = {"Sid": sid, "Effect": "Allow", "Action": actions, "Resource": resources}
    return statement | ({"Condition": condition} if condition else {})


def _build_cluster_arn(config: StackConfig) -> str:
    return config.build_arn("eks", f"cluster/{config.cluster_name}")


def _build_ec2_arns(config: StackConfig, kinds: Sequence[str], account: str = "*") -> list[str]:
    return [f"arn:aws:ec2:{config.region}:{account}:{kind}/*" for kind in kinds]


def _allow_node_lifecycle(config: StackConfig) -> list[dict[str, Any]]:
    owned_by_cluster = {
        "StringEquals": {f"aws:ResourceTag/{_name_cluster_tag(config)}": "owned"},
        "StringLike": {"aws:ResourceTag/karpenter.sh/nodepool": "*"},
    }
    shared_arns = _build_ec2_arns(config, ("image", "snapshot"), "") + _build_ec2_arns(
        config, ("security-group", "subnet", "capacity-reservation", "placement-group")
    )
    launch = ["ec2:RunInstances", "ec2:CreateFleet"]
    return [
        _allow("AllowScopedEC2InstanceAccessActions", launch, shared_arns),
        _allow(
            "AllowScopedEC2LaunchTemplateAccessActions",
            launch,
            _build_ec2_arns(config, ("launch-template",)),
            owned_by_cluster,
        ),
        *_allow_tagged_launches(config, [*launch, "ec2:CreateLaunchTemplate"]),
        _allow(
            "AllowScopedResourceTagging",
            "ec2:CreateTags",
            _build_ec2_arns(config, ("instance",)),
            {
                **owned_by_cluster,
                "StringEqualsIfExists": {"aws:RequestTag/eks:eks-cluster-name": config.cluster_name},
                "ForAllValues:StringEquals": {
                    "aws:TagKeys": ["eks:eks-cluster-name", "karpenter.sh/nodeclaim", "Name"]
                },
            },
        ),
        _allow(
            "AllowScopedDeletion",
            ["ec2:TerminateInstances", "ec2:DeleteLaunchTemplate"],
            _build_ec2_arns(config, ("instance", "launch-template")),
            owned_by_cluster,
        ),
    ]


def _allow_tagged_launches(config: StackConfig, launch: list[str]) -> list[dict[str, Any]]:
    """Allow a launch, and tags on it, only if the same request marks the result as owned by the cluster."""
    requested_tags = {
        f"aws:RequestTag/{_name_cluster_tag(config)}": "owned",
        "aws:RequestTag/eks:eks-cluster-name": config.cluster_name,
    }
    created_by_launch = {"ec2:CreateAction": ["RunInstances", "CreateFleet", "CreateLaunchTemplate"]}
    for_a_pool = {"aws:RequestTag/karpenter.sh/nodepool": "*"}
    launched_arns = _build_ec2_arns(config, _TAGGED_AT_LAUNCH)
    return [
        _allow(
            "AllowScopedEC2InstanceActionsWithTags",
            launch,
            launched_arns,
            {"StringEquals": requested_tags, "StringLike": for_a_pool},
        ),
        _allow(
            "AllowScopedResourceCreationTagging",
            "ec2:CreateTags",
            launched_arns,
            {"StringEquals": {**requested_tags, **created_by_launch}, "StringLike": for_a_pool},
        ),
    ]


def _name_cluster_tag(config: StackConfig) -> str:
    return f"kubernetes.io/cluster/{config.cluster_name}"


def _allow_instance_profiles(config: StackConfig, node_role_arn: pulumi.Input[str]) -> list[dict[str, Any]]:
    profiles = config.build_arn("iam", "instance-profile/*", region=False)
    cluster_tag = _name_cluster_tag(config)
    region_tag, class_tag = "topology.kubernetes.io/region", "karpenter.k8s.aws/ec2nodeclass"
    requested_tags = {
        f"aws:RequestTag/{cluster_tag}": "owned",
        "aws:RequestTag/eks:eks-cluster-name": config.cluster_name,
        f"aws:RequestTag/{region_tag}": config.region,
    }
    owned_tags = {f"aws:ResourceTag/{cluster_tag}": "owned", f"aws:ResourceTag/{region_tag}": config.region}
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
            {"StringEquals": requested_tags, "StringLike": {f"aws:RequestTag/{class_tag}": "*"}},
        ),
        _allow(
            "AllowScopedInstanceProfileTagActions",
            "iam:TagInstanceProfile",
            profiles,
            {
                "StringEquals": {**owned_tags, **requested_tags},
                "StringLike": {f"aws:ResourceTag/{class_tag}": "*", f"aws:RequestTag/{class_tag}": "*"},
            },
        ),
        _allow(
            "AllowScopedInstanceProfileActions",
            ["iam:AddRoleToInstanceProfile", "iam:RemoveRoleFromInstanceProfile", "iam:DeleteInstanceProfile"],
            profiles,
            {"StringEquals": owned_tags, "StringLike": {f"aws:ResourceTag/{class_tag}": "*"}},
        ),
    ]


def _allow_discovery(config: StackConfig) -> list[dict[str, Any]]:
    in_region = {"StringEquals": {"aws:RequestedRegion": config.region}}
    kinds = [kind for kind in _DESCRIBED if kind != _STATUS or config.cluster.instance_status_repair]
    return [
        _allow("AllowRegionalReadActions", [f"ec2:Describe{kind}" for kind in kinds], "*", in_region),
        _allow("AllowSSMReadActions", "ssm:GetParameter", f"arn:aws:ssm:{config.region}::parameter/aws/service/*"),
        _allow("AllowPricingReadActions", "pricing:GetProducts", "*"),
        _allow("AllowUnscopedInstanceProfileListAction", "iam:ListInstanceProfiles", "*"),
        _allow(
            "AllowInstanceProfileReadActions",
            "iam:GetInstanceProfile",
            config.build_arn("iam", "instance-profile/*", region=False),
        ),
    ]
