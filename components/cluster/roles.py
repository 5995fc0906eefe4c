"""IAM roles, made in one way: named, trusted by one service, with exactly the policies given."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pulumi
import pulumi_aws as aws

from gpu_blueprint.config import StackConfig


class ServiceRole(pulumi.ComponentResource):
    """A role for an AWS service or, through EKS Pod Identity, for a service account.

    ``ready`` lists the attachments: whoever acts as the role depends on them, or a destroy takes its permissions first.
    """

    role: aws.iam.Role
    role_name: str
    arn: str
    ready: list[pulumi.Resource]

    def __init__(
        self,
        name: str,
        config: StackConfig,
        *,
        trust: Mapping[str, Any],
        managed: Sequence[str] = (),
        policies: Mapping[str, Mapping[str, Any]] | None = None,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        super().__init__("gpu-blueprint:components:ServiceRole", name, None, opts)
        child = pulumi.ResourceOptions(parent=self)
        self.role_name = name
        self.arn = config.arn("iam", f"role/{name}", region=False)
        self.role = aws.iam.Role(f"{name}-role", name=name, assume_role_policy=document(trust), opts=child)
        arns: dict[str, pulumi.Input[str]] = {policy: f"arn:aws:iam::aws:policy/{policy}" for policy in managed}
        for title, statements in (policies or {}).items():
            policy = aws.iam.Policy(f"{name}-{title}", name=f"{name}-{title}", policy=document(statements), opts=child)
            arns[title] = policy.arn
        self.ready = [
            aws.iam.RolePolicyAttachment(
                f"{name}-{title.rsplit('/', 1)[-1]}-attached", role=self.role.name, policy_arn=arn, opts=child
            )
            for title, arn in arns.items()
        ]
        self.register_outputs({"arn": self.arn})


def service_trust(service: str) -> dict[str, Any]:
    """Let one AWS service assume the role."""
    return {"Statement": [{"Effect": "Allow", "Principal": {"Service": service}, "Action": "sts:AssumeRole"}]}


def pod_identity_trust(config: StackConfig) -> dict[str, Any]:
    """Let EKS Pod Identity hand the role to pods of this cluster, and of no other."""
    return {
        "Statement": [
            {
                "Effect": "Allow",
                "Principal": {"Service": "pods.eks.amazonaws.com"},
                "Action": ["sts:AssumeRole", "sts:TagSession"],
                "Condition": {
                    "StringEquals": {
                        "aws:SourceAccount": config.account_id,
                        "aws:SourceArn": config.arn("eks", f"cluster/{config.cluster_name}"),
                    }
                },
            }
        ]
    }


def document(statements: Mapping[str, Any]) -> str:
    """Write an IAM policy document."""
    return json.dumps({"Version": "2012-10-17", **statements})
