"""What Karpenter's controller may do: the six policies of its documentation, for one cluster.

Source: aws/karpenter-provider-aws v1.14.1 getting-started cloudformation.yaml (2026-08-21). The ``ec2:RebootInstances``
that v1.15 adds serves only ``rebootForRepair``, which is off here, so it is left out.
"""

from collections.abc import Sequence
from typing import Any

from gpu_blueprint.config import StackConfig

_TAGGED = ("fleet", "instance", "volume", "network-interface", "launch-template", "spot-instances-request")


def controller_policies(config: StackConfig, *, node_role_arn: str, queue_arn: str) -> dict[str, dict[str, Any]]:
    """Policy name → its statements."""
    statements = {
        "node-lifecycle": _node_lifecycle(config),
        "iam-integration": _iam_integration(config, node_role_arn),
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
        "resource-discovery": _resource_discovery(config),
    }
    return {name: {"Statement": listed} for name, listed in statements.items()}


def _allow(
    sid: str, actions: str | list[str], resources: str | list[str], condition: dict[str, Any] | None = None
) -> dict[str, Any]:
    statement: dict[str, Any] = {"Sid": sid, "Effect": "Allow", "Action": actions, "Resource": resources}
    return statement | ({"Condition": condition} if condition else {})


def _cluster_arn(config: StackConfig) -> str:
    return config.arn("eks", f"cluster/{config.cluster_name}")


def _ec2(config: StackConfig, kinds: Sequence[str], account: str = "*") -> list[str]:
    return [f"arn:aws:ec2:{config.region}:{account}:{kind}/*" for kind in kinds]


def _node_lifecycle(config: StackConfig) -> list[dict[str, Any]]:
    owned = {
        "StringEquals": {f"aws:ResourceTag/{_cluster_tag(config)}": "owned"},
        "StringLike": {"aws:ResourceTag/karpenter.sh/nodepool": "*"},
    }
    shared = _ec2(config, ("image", "snapshot"), "") + _ec2(
        config, ("security-group", "subnet", "capacity-reservation", "placement-group")
    )
    launch = ["ec2:RunInstances", "ec2:CreateFleet"]
    return [
        _allow("AllowScopedEC2InstanceAccessActions", launch, shared),
        _allow("AllowScopedEC2LaunchTemplateAccessActions", launch, _ec2(config, ("launch-template",)), owned),
        *_with_requested_tags(config, [*launch, "ec2:CreateLaunchTemplate"]),
        _allow(
            "AllowScopedResourceTagging",
            "ec2:CreateTags",
            _ec2(config, ("instance",)),
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
            _ec2(config, ("instance", "launch-template")),
            owned,
        ),
    ]


def _with_requested_tags(config: StackConfig, launch: list[str]) -> list[dict[str, Any]]:
    """Launch and tag only what is marked as the cluster's own in the same request."""
    requested = {
        f"aws:RequestTag/{_cluster_tag(config)}": "owned",
        "aws:RequestTag/eks:eks-cluster-name": config.cluster_name,
    }
    created = {"ec2:CreateAction": ["RunInstances", "CreateFleet", "CreateLaunchTemplate"]}
    pool = {"aws:RequestTag/karpenter.sh/nodepool": "*"}
    made = _ec2(config, _TAGGED)
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


def _iam_integration(config: StackConfig, node_role_arn: str) -> list[dict[str, Any]]:
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


def _resource_discovery(config: StackConfig) -> list[dict[str, Any]]:
    kinds = (
        "CapacityReservations", "Images", "Instances", "InstanceStatus", "InstanceTypeOfferings", "InstanceTypes",
        "LaunchTemplates", "PlacementGroups", "SecurityGroups", "SpotPriceHistory", "Subnets",
    )  # fmt: skip
    here = {"StringEquals": {"aws:RequestedRegion": config.region}}
    return [
        _allow("AllowRegionalReadActions", [f"ec2:Describe{kind}" for kind in kinds], "*", here),
        _allow("AllowSSMReadActions", "ssm:GetParameter", f"arn:aws:ssm:{config.region}::parameter/aws/service/*"),
        _allow("AllowPricingReadActions", "pricing:GetProducts", "*"),
        _allow("AllowUnscopedInstanceProfileListAction", "iam:ListInstanceProfiles", "*"),
        _allow(
            "AllowInstanceProfileReadActions",
            "iam:GetInstanceProfile",
            config.arn("iam", "instance-profile/*", region=False),
        ),
    ]
