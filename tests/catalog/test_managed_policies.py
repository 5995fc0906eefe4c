"""The table of AWS's wide policies, asked by ARN."""

import pytest

from gpu_blueprint.catalog.managed_policies import find_broad_policy


@pytest.mark.parametrize("partition", ["aws", "aws-cn", "aws-us-gov", "aws-iso-b"])
def test_a_wide_policy_is_found_in_every_partition(partition: str) -> None:
    assert find_broad_policy(f"arn:{partition}:iam::aws:policy/AdministratorAccess") == "allows every action"
    assert find_broad_policy(f"arn:{partition}:iam::aws:policy/job-function/SystemAdministrator")


@pytest.mark.parametrize(
    "arn",
    [
        "arn:aws:iam::aws:policy/AmazonEKSWorkerNodePolicy",
        "arn:aws:iam::111122223333:policy/AdministratorAccess",
        "arn:aws:eks::aws:cluster-access-policy/AdministratorAccess",
        "AdministratorAccess",
        "",
    ],
)
def test_another_arn_is_no_wide_policy_of_aws(arn: str) -> None:
    assert find_broad_policy(arn) is None
