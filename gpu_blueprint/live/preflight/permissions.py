"""Which calls each check makes, and the IAM policy that grants exactly these.

Source: AWS Service Authorization Reference: of these actions only ssm:GetParameters and eks:DescribeCluster can be
granted on some resources only; sts:GetCallerIdentity needs no permission. Read 2026-11-21.
"""

from collections.abc import Iterable
from typing import Any

from ...config import StackConfig

CALLS: dict[str, tuple[str, ...]] = {
    "account": ("sts:GetCallerIdentity",),
    "cluster": ("eks:DescribeCluster",),
    "quotas": (
        "servicequotas:GetServiceQuota",
        "servicequotas:GetAWSDefaultServiceQuota",
        "servicequotas:ListServiceQuotas",
    ),
    "room for the platform": (
        "servicequotas:GetServiceQuota",
        "servicequotas:GetAWSDefaultServiceQuota",
        "ec2:DescribeVpcs",
        "ec2:DescribeAddresses",
        "ec2:DescribeNatGateways",
        "ec2:DescribeSubnets",
        "eks:ListClusters",
    ),
    "types in zones": ("ec2:DescribeInstanceTypeOfferings",),
    "node images": ("ssm:GetParameters",),
    "reservations": ("ec2:DescribeCapacityReservations",),
    "subnets": ("ec2:DescribeSubnets", "eks:DescribeCluster"),
}
"""Check → IAM actions, which are named after the operations of the API."""

_NEEDS_NONE = "sts:GetCallerIdentity"
_PREFIXES = {"service-quotas": "servicequotas"}
_IMAGES, _CLUSTER = "ssm:GetParameters", "eks:DescribeCluster"


def action(service: str, operation: str) -> str:
    """The IAM action that allows an operation of a service, as the SDK names them."""
    return f"{_PREFIXES.get(service, service)}:{operation}"


def policy(stack: StackConfig | None) -> dict[str, Any]:
    """The IAM policy for one stack, or for all."""
    region, account = (stack.region, stack.account_id) if stack else ("*", "*")
    cluster = stack.cluster_name if stack else "*"
    actions = {one for calls in CALLS.values() for one in calls} - {_NEEDS_NONE, _IMAGES, _CLUSTER}
    return {
        "Version": "2012-10-17",
        "Statement": [
            _allow("Inventory", sorted(actions), "*"),
            _allow("NodeImages", [_IMAGES], f"arn:aws:ssm:{region}::parameter/aws/service/*"),
            _allow("OwnCluster", [_CLUSTER], f"arn:aws:eks:{region}:{account}:cluster/{cluster}"),
        ],
    }


def _allow(name: str, actions: Iterable[str], resource: str) -> dict[str, Any]:
    return {"Sid": name, "Effect": "Allow", "Action": list(actions), "Resource": resource}
