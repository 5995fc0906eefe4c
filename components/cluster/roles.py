"""IAM roles: each is named after its region, trusts one service, and has exactly the policies that its caller names."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pulumi
import pulumi_aws as aws

from gpu_blueprint.config import StackConfig
from gpu_blueprint.images.sources import name_cache_prefix

NODE_POLICIES = (
    "AmazonEKSWorkerNodePolicy",
    "AmazonEKS_CNI_Policy",
    "AmazonEC2ContainerRegistryPullOnly",
    "AmazonSSMManagedInstanceCore",
)
"""The managed policies that every node needs, as Karpenter's getting-started guide lists them."""

_ARN = "arn:aws:iam::"


class ServiceRole(pulumi.ComponentResource):
    """An IAM role for an AWS service or, through EKS Pod Identity, for a Kubernetes service account.

    ``attachments`` lists the policy attachments. Resources that act as the role depend on them. Otherwise a destroy
    could take the permissions away first, and the resources could not finish their work.
    """

    role: aws.iam.Role
    arn: pulumi.Output[str]
    """Made of the role's name in AWS, which a preview knows. A preview does not know the ARN of a new role."""
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
        # A platform of version 0.1 has roles and policies without the region in their names. They keep their names,
        # because another name would replace them, and with a role the cluster or the nodes that act as the role.
        child = pulumi.ResourceOptions(parent=self, ignore_changes=["name"])
        self.role = aws.iam.Role(
            f"{name}-role", name=config.name_in_region(name), assume_role_policy=render_policy(trust), opts=child
        )
        self.arn = self.role.name.apply(lambda named: config.build_arn("iam", f"role/{named}", region=False))
        attached = dict(map(_read_policy, managed_policies))
        for title, statements in (own_policies or {}).items():
            policy = aws.iam.Policy(
                f"{name}-{title}",
                name=config.name_in_region(f"{name}-{title}"),
                policy=pulumi.Output.json_dumps(add_version(statements)),
                opts=child,
            )
            attached[title] = policy.arn
        self.attachments = [
            aws.iam.RolePolicyAttachment(
                f"{name}-{title}-attached",
                role=self.role.name,
                policy_arn=arn,
                opts=pulumi.ResourceOptions(parent=self),
            )
            for title, arn in attached.items()
        ]
        self.register_outputs({"arn": self.arn})


def _read_policy(policy: str) -> tuple[str, pulumi.Input[str]]:
    """Return a title and the ARN of a policy: of AWS by its path and name, or of any owner by its ARN."""
    if policy.startswith(_ARN):
        return policy.removeprefix(_ARN), policy
    return policy.rsplit("/", 1)[-1], f"{_ARN}aws:policy/{policy}"


def build_cache_policies(config: StackConfig) -> dict[str, dict[str, Any]]:
    """Return the policy with which nodes pull an image that ECR has not cached yet: title → statements.

    The first pull of an image makes its repository (ECR user guide, "IAM permissions required to sync an upstream
    registry"). The right to import the image is part of AmazonEC2ContainerRegistryPullOnly.
    """
    cached = config.images.pull_through if config.images else []
    repositories = [config.build_arn("ecr", f"repository/{name_cache_prefix(config, name)}/*") for name in cached]
    if not repositories:
        return {}
    allow = {"Effect": "Allow", "Action": ["ecr:CreateRepository"], "Resource": repositories}
    return {"image-cache": {"Statement": [allow]}}


def build_service_trust(service: str) -> dict[str, Any]:
    """Return a trust policy that lets one AWS service assume the role."""
    return {"Statement": [{"Effect": "Allow", "Principal": {"Service": service}, "Action": "sts:AssumeRole"}]}


def build_pod_identity_trust(config: StackConfig, *, namespace: str = "", service_account: str = "") -> dict[str, Any]:
    """Return a trust policy that lets EKS Pod Identity hand the role to pods of this cluster only.

    A namespace and a service account limit it further. EKS tags each session with both, so that an association of
    another service account cannot use the role (EKS user guide, "Create IAM role with trust policy").
    """
    account = {
        "aws:RequestTag/kubernetes-namespace": namespace,
        "aws:RequestTag/kubernetes-service-account": service_account,
    }
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
                        **{key: value for key, value in account.items() if value},
                    }
                },
            }
        ]
    }


def render_policy(statements: Mapping[str, Any]) -> str:
    """Return an IAM policy document as JSON."""
    return json.dumps(add_version(statements))


def add_version(statements: Mapping[str, Any]) -> dict[str, Any]:
    """Return an IAM policy document with the version of the policy language in front."""
    return {"Version": "2012-10-17", **statements}
