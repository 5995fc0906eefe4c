"""The detailed billing: what is exported, and a bucket that only AWS's billing writes to."""

import json
from itertools import pairwise
from typing import Any

import pytest

from gpu_blueprint.judging.verdicts import findings, levels_file, read_levels

from ...support import builders
from ...support.deletion import DestroyOrder
from ...support.iam_documents import as_set
from ...support.plans import one, plan_of, some
from ..test_platform_iam import findings as lint
from .test_billing import ALL_ON, billed, inputs, of_billing

BUCKET = "gpu-test-billing-111122223333"
ARN = f"arn:aws:s3:::{BUCKET}"


def test_the_export_is_hourly_by_resource_and_pod_in_parquet() -> None:
    export = inputs(billed(export=True), "Export")["export"]
    (query,) = export.pop("dataQueries")
    (to,) = export.pop("destinationConfigurations")[0]["s3Destinations"]
    assert export == {
        "name": "gpu-test",
        "description": "Hourly cost of gpu-test by resource and pod",
        "refreshCadences": [{"frequency": "SYNCHRONOUS"}],
    }
    assert query["tableConfigurations"]["COST_AND_USAGE_REPORT"] == {
        "BILLING_VIEW_ARN": "arn:aws:billing::111122223333:billingview/primary",
        "TIME_GRANULARITY": "HOURLY",
        "INCLUDE_RESOURCES": "TRUE",
        "INCLUDE_SPLIT_COST_ALLOCATION_DATA": "TRUE",
        "INCLUDE_MANUAL_DISCOUNT_COMPATIBILITY": "FALSE",
        "INCLUDE_CAPACITY_RESERVATION_DATA": "FALSE",
        "INCLUDE_IAM_PRINCIPAL_DATA": "FALSE",
    }
    (form,) = to.pop("s3OutputConfigurations")
    assert to == {"s3Bucket": BUCKET, "s3Prefix": "billing", "s3Region": "us-east-1"}
    assert form == {
        "outputType": "CUSTOM",
        "format": "PARQUET",
        "compression": "PARQUET",
        "overwrite": "OVERWRITE_REPORT",
    }


def test_an_export_in_another_region_goes_to_the_bucket_there() -> None:
    planned = plan_of(builders.stack("us-west-2", **builders.billing(export=True)), "us-west-2")
    (to,) = inputs(planned, "Export")["export"]["destinationConfigurations"][0]["s3Destinations"]
    assert to["s3Region"] == "us-west-2"
    sources = statements(inputs(planned, "BucketPolicy"))["AllowExports"]["Condition"]["ArnLike"]["aws:SourceArn"]
    assert [arn.split(":")[3] for arn in sources] == ["us-east-1", "us-east-1"], "where the APIs of billing stand"


def statements(policy: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {found["Sid"]: found for found in json.loads(policy["policy"])["Statement"]}


def test_only_billing_writes_to_the_bucket_only_for_this_account_and_nobody_without_tls() -> None:
    found = statements(inputs(billed(export=True), "BucketPolicy"))
    writers = {
        "Effect": "Allow",
        "Principal": {"Service": ["bcm-data-exports.amazonaws.com", "billingreports.amazonaws.com"]},
        "Condition": {
            "StringEquals": {"aws:SourceAccount": "111122223333"},
            "ArnLike": {
                "aws:SourceArn": [
                    "arn:aws:bcm-data-exports:us-east-1:111122223333:export/*",
                    "arn:aws:cur:us-east-1:111122223333:definition/*",
                ]
            },
        },
    }
    assert found.pop("DenyHTTP") == {
        "Sid": "DenyHTTP",
        "Effect": "Deny",
        "Principal": "*",
        "Action": "s3:*",
        "Resource": [ARN, f"{ARN}/*"],
        "Condition": {"Bool": {"aws:SecureTransport": "false"}},
    }
    assert found == {
        "AllowExports": {"Sid": "AllowExports", **writers, "Action": "s3:PutObject", "Resource": f"{ARN}/*"},
        "AllowLookAtPolicy": {
            "Sid": "AllowLookAtPolicy",
            **writers,
            "Action": "s3:GetBucketPolicy",
            "Resource": ARN,
        },
    }


def test_the_bucket_is_private_encrypted_and_forgets_after_three_years() -> None:
    planned = billed(export=True)
    private = inputs(planned, "BucketPublicAccessBlock")
    assert private.pop("bucket") == BUCKET
    assert private == dict.fromkeys(
        ["blockPublicAcls", "blockPublicPolicy", "ignorePublicAcls", "restrictPublicBuckets"], True
    )
    (rule,) = inputs(planned, "BucketServerSideEncryptionConfiguration")["rules"]
    assert rule == {"applyServerSideEncryptionByDefault": {"sseAlgorithm": "AES256"}}
    (kept,) = inputs(planned, "BucketLifecycleConfiguration")["rules"]
    assert kept == {
        "id": "kept",
        "status": "Enabled",
        "filter": {"prefix": "billing/"},
        "expiration": {"days": 1098},
        "abortIncompleteMultipartUpload": {"daysAfterInitiation": 7},
    }


def test_nothing_of_it_is_made_unless_asked_for() -> None:
    assert [found.name for found in of_billing(billed()) if "ucket" in found.type or "xport" in found.type] == []


@pytest.mark.parametrize("protection", [True, False])
def test_a_bucket_full_of_bills_goes_only_when_protection_is_off(protection: bool) -> None:
    protected = builders.cluster(deletionProtection=protection)
    planned = plan_of(builders.stack(cluster=protected, **builders.billing(export=True)))
    assert inputs(planned, "aws:s3/bucket:Bucket")["forceDestroy"] is not protection


def test_the_export_comes_after_and_goes_before_what_lets_it_write() -> None:
    planned = billed(export=True)
    order = DestroyOrder(planned)
    chain = [one(planned, kind) for kind in ("Export", "BucketPolicy", "BucketPublicAccessBlock")]
    chain.append(one(planned, "aws:s3/bucket:Bucket"))
    assert all(order.before(first, then) for first, then in pairwise(chain))


def test_the_longest_bucket_name_fits_s3() -> None:
    stack = builders.stack(cluster=builders.cluster(name="n" * 40), **builders.billing(export=True))
    assert len(one(plan_of(stack), "aws:s3/bucket:Bucket").inputs["bucket"]) <= 63


def test_parliament_finds_nothing_in_the_policies_of_bucket_and_topic() -> None:
    found = [*some(billed(**ALL_ON), "BucketPolicy"), *some(billed(**ALL_ON), "TopicPolicy")]
    assert [lint(json.loads(policy.inputs["policy"])) for policy in found] == [[], []]


def test_nothing_is_allowed_to_everybody_or_by_a_wildcard_of_actions() -> None:
    found = [*some(billed(**ALL_ON), "BucketPolicy"), *some(billed(**ALL_ON), "TopicPolicy")]
    allowed = [one for policy in found for one in statements(dict(policy.inputs)).values() if one["Effect"] == "Allow"]
    assert len(allowed) == 4
    assert not [action for one in allowed for action in as_set(one["Action"]) if "*" in action]
    assert not [one for one in allowed if "*" in json.dumps(one["Principal"])]


@pytest.mark.parametrize("environment", ["dev", "research", "prod"])
def test_billing_passes_the_policies_of_every_environment(environment: str) -> None:
    levels = read_levels(levels_file(environment))
    mine = {found.name for found in of_billing(billed(**ALL_ON))}
    assert [found.verdict.message for found in findings(billed(**ALL_ON), levels) if found.resource in mine] == []
