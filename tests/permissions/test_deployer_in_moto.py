"""moto's IAM lets a user with the policies of the role that deploys make the stack's buckets, and no others.

moto knows the resource of a bucket's actions. It knows none for most others, and asks for a right on everything.
"""

import json
from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError
from moto import mock_aws
from moto.core import set_initial_no_auth_action_count

from gpu_blueprint.permissions import build_deployer

from ..support.builders import REGION
from ..support.permission_plans import config_of, full_plan, full_stack

_SETUP = 4
"""Calls of an admin that make a user with keys and one policy; moto asks for rights from then on."""
BUCKET = "gpu-test-billing-111122223333"


@pytest.fixture(scope="module")
def documents() -> list[dict[str, Any]]:
    return [dict(document) for document in build_deployer(config_of(full_stack()), full_plan()).documents]


def sign_in(statements: list[dict[str, Any]]) -> boto3.Session:
    """Return a session of a new user with exactly these statements."""
    iam = boto3.client("iam", region_name=REGION)
    iam.create_user(UserName="deployer")
    document = json.dumps({"Version": "2012-10-17", "Statement": statements})
    policy = iam.create_policy(PolicyName="deploy", PolicyDocument=document)["Policy"]["Arn"]
    iam.attach_user_policy(UserName="deployer", PolicyArn=policy)
    key = iam.create_access_key(UserName="deployer")["AccessKey"]
    return boto3.Session(key["AccessKeyId"], key["SecretAccessKey"], region_name=REGION)


def is_refused(call: Any, **arguments: Any) -> bool:
    try:
        call(**arguments)
    except ClientError as error:
        assert error.response["Error"]["Code"] in ("AccessDenied", "AccessDeniedException")
        return True
    return False


@mock_aws
@set_initial_no_auth_action_count(_SETUP)
def test_the_user_makes_the_buckets_of_the_stack_and_no_others(documents: list[dict[str, Any]]) -> None:
    session = sign_in([statement for document in documents for statement in document["Statement"]])
    buckets, everything = session.client("s3"), session.client("ec2")
    assert not is_refused(buckets.create_bucket, Bucket=BUCKET)
    assert not is_refused(buckets.get_bucket_versioning, Bucket=BUCKET)
    assert is_refused(buckets.create_bucket, Bucket="another-bucket")
    assert not is_refused(everything.describe_vpcs)
    assert is_refused(session.client("iam").create_user, UserName="another")


@mock_aws
@set_initial_no_auth_action_count(_SETUP)
def test_a_user_without_the_policies_makes_nothing() -> None:
    session = sign_in([{"Effect": "Allow", "Action": "sts:GetCallerIdentity", "Resource": "*"}])
    assert is_refused(session.client("s3").create_bucket, Bucket=BUCKET)
    assert is_refused(session.client("ec2").describe_vpcs)
