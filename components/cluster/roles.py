"""IAM roles: each has a fixed name, trusts one service, and has exactly the policies that its caller names."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pulumi
import pulumi_aws as aws

from gpu_blueprint.config import StackConfig

NODE_POLICIES = (
    "AmazonEKSWorkerNodePolicy",
    "AmazonEKS_CNI_Policy",
    "AmazonEC2ContainerRegistryPullOnly",
    "AmazonSSMManagedInstanceCore",
)
"""The managed policies that every node needs, as Karpenter's getting-started guide lists them."""


class ServiceRole(pulumi.ComponentResource):
    """An IAM role for an AWS service or, through EKS Pod Identity, for a Kubernetes service account.

    ``attachments`` lists the policy attachments. Resources that act as the role depend on them. Otherwise a destroy
    could take the permissions away first, and the resources could not finish their work.
    """

    role: aws.iam.Role
    role_name: str
    arn: str
    """Derived from the name, so that a preview knows it."""
    attachments: list[pulumi.Resource]

    def __init__(
        self,
        name: str,
        config: StackConfig,
        *,
        trust: Mapping[str, Any],
        managed_policies: Sequence[str] = (),
        own_policies: Mapping[str, Mapping[str, Any]] | None = None,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        super().__init__("gpu-blueprint:components:ServiceRole", name, None, opts)
        child = pulumi.ResourceOptions(parent=self)
        self.role_name = name
        self.arn = config.build_arn("iam", f"role/{name}", region=False)
        self.role = aws.iam.Role(f"{name}-role", name=name, assume_role_policy=render_policy(trust), opts=child)
        policy_arns: dict[str, pulumi.Input[str]] = {
            policy: f"arn:aws:iam::aws:policy/{policy}" for policy in managed_policies
        }
        for title, statements in (own_policies or {}).items():
            policy = aws.iam.Policy(
                f"{name}-{title}", name=f"{name}-{title}", policy=render_policy(statements), opts=child
            )
            policy_arns[title] = policy.arn
        self.attachments = [
            aws.iam.RolePolicyAttachment(
                f"{name}-{title.rsplit('/', 1)[-1]}-attached", role=self.role.name, policy_arn=arn, opts=child
            )
            for title, arn in policy_arns.items()
        ]
        self.register_outputs({"arn": self.arn})


def build_service_trust(service: str) -> dict[str, Any]:
    """Return a trust policy that lets one AWS service assume the role."""
    return {"Statement": [{"Effect": "Allow", "Principal": {"Service": service}, "Action": "sts:AssumeRole"}]}


def build_pod_identity_trust(config: StackConfig) -> dict[str, Any]:
    """Return a trust policy that lets EKS Pod Identity hand the role to pods of this cluster only."""
    return {
        "Statement": [
            {
                "Effect": "Allow",
                "Principal": {"Service": "pods.eks.amazonaws.com"},
                "Action": ["sts:AssumeRole", "sts:TagSession"],
                "Condition": {
                    "StringEquals": {
                        "aws:SourceAccount": config.account_id,
                        "aws:SourceArn": config.build_arn("eks", f"cluster/{config.cluster_name}"),
                    }
                },
            }
        ]
    }


def render_policy(statements: Mapping[str, Any]) -> str:
    """Return an IAM policy document as JSON, with the policy language version in front."""
    return json.dumps({"Version": "2012-10-17", **statements})
