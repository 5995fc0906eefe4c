"""The managed policies that roles get are policies of AWS, and every role's policy has a row."""

import pytest
from moto.iam.aws_managed_policies import aws_managed_policies_data

from gpu_blueprint.catalog.attached_policies import find_attached_policy, list_attached_policies

from ..support.plans import SHIPPED, find_resources, plan


@pytest.mark.parametrize("stack", SHIPPED)
def test_every_attached_policy_of_aws_has_a_row(stack: str) -> None:
    arns = {
        found.inputs["policyArn"]
        for found in find_resources(plan(stack), "RolePolicyAttachment")
        if isinstance(found.inputs["policyArn"], str)
    }
    assert arns and all(find_attached_policy(arn) for arn in arns if ":iam::aws:" in arn)


def test_aws_has_every_policy_of_the_table() -> None:
    assert [row.policy for row in list_attached_policies() if f'"{row.policy}":' not in aws_managed_policies_data] == []


def test_a_policy_of_another_owner_has_no_row() -> None:
    assert find_attached_policy("arn:aws:iam::111122223333:policy/AmazonEKSClusterPolicy") is None
    assert find_attached_policy("arn:aws-us-gov:iam::aws:policy/AmazonEKSClusterPolicy") is not None
