"""Detailed billing: a CUR 2.0 data export, hourly and by resource, to a bucket of its own."""

from __future__ import annotations  # so that AWS's modules for billing are loaded only where there is billing

from typing import Any

import pulumi
import pulumi_aws as aws

from gpu_blueprint.config import StackConfig

from ..cluster.roles import document

TABLE = "COST_AND_USAGE_REPORT"
PREFIX = "billing"
KEPT_DAYS = 3 * 366
WRITERS = ("bcm-data-exports.amazonaws.com", "billingreports.amazonaws.com")

COLUMNS = (
    "bill_bill_type", "bill_billing_period_start_date", "bill_billing_period_end_date", "bill_payer_account_id",
    "identity_line_item_id", "identity_time_interval",
    "line_item_usage_account_id", "line_item_usage_account_name", "line_item_line_item_type",
    "line_item_usage_start_date", "line_item_usage_end_date", "line_item_product_code", "line_item_usage_type",
    "line_item_operation", "line_item_availability_zone", "line_item_resource_id", "line_item_line_item_description",
    "line_item_usage_amount", "line_item_currency_code", "line_item_unblended_rate", "line_item_unblended_cost",
    "line_item_net_unblended_cost",
    "pricing_term", "pricing_unit", "pricing_purchase_option", "pricing_public_on_demand_rate",
    "pricing_public_on_demand_cost",
    "product", "product_servicecode", "product_product_family", "product_region_code", "product_instance_family",
    "product_instance_type", "product_usagetype",
    "reservation_reservation_a_r_n", "reservation_effective_cost",
    "savings_plan_savings_plan_a_r_n", "savings_plan_savings_plan_effective_cost",
    "split_line_item_parent_resource_id", "split_line_item_reserved_usage", "split_line_item_actual_usage",
    "split_line_item_split_usage", "split_line_item_split_usage_ratio", "split_line_item_split_cost",
    "split_line_item_unused_cost", "split_line_item_net_split_cost", "split_line_item_net_unused_cost",
    "split_line_item_public_on_demand_split_cost", "split_line_item_public_on_demand_unused_cost",
    "cost_category", "discount", "resource_tags", "tags",
)  # fmt: skip
"""By name: the API refuses ``SELECT *``."""
QUERY = " ".join(("SELECT", ", ".join(COLUMNS), "FROM", TABLE))


class BillingExport(pulumi.ComponentResource):
    """A private bucket ``bucket_name`` and the export that AWS writes to it at least once a day."""

    bucket_name: str

    def __init__(self, name: str, config: StackConfig, *, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("gpu-blueprint:components:BillingExport", name, None, opts)
        self.bucket_name = f"{config.cluster_name}-billing-{config.account_id}"
        child = pulumi.ResourceOptions(parent=self)
        bucket = aws.s3.Bucket(
            f"{name}-bucket",
            bucket=self.bucket_name,
            # A bucket that holds objects cannot be deleted: as with the cluster, protection has to be taken off first.
            force_destroy=not config.cluster.deletion_protection,
            opts=child,
        )
        closed = self._close(name, config, bucket)
        aws.bcmdata.Export(
            f"{name}-hourly",
            export=export_spec(config, bucket.bucket),
            opts=pulumi.ResourceOptions(parent=self, depends_on=closed),
        )
        self.register_outputs({"bucketName": self.bucket_name})

    def _close(self, name: str, config: StackConfig, bucket: aws.s3.Bucket) -> list[pulumi.Resource]:
        """Encrypt what comes in, end it after its time, and let nobody but AWS's billing write."""
        child = pulumi.ResourceOptions(parent=self)
        private = aws.s3.BucketPublicAccessBlock(
            f"{name}-private",
            bucket=bucket.bucket,
            block_public_acls=True,
            block_public_policy=True,
            ignore_public_acls=True,
            restrict_public_buckets=True,
            opts=child,
        )
        encrypted = aws.s3.BucketServerSideEncryptionConfiguration(
            f"{name}-encryption",
            bucket=bucket.bucket,
            rules=[{"apply_server_side_encryption_by_default": {"sse_algorithm": "AES256"}}],
            opts=child,
        )
        lifecycle = aws.s3.BucketLifecycleConfiguration(
            f"{name}-lifecycle",
            bucket=bucket.bucket,
            rules=[
                {
                    "id": "kept",
                    "status": "Enabled",
                    "filter": {"prefix": f"{PREFIX}/"},
                    "expiration": {"days": KEPT_DAYS},
                    "abort_incomplete_multipart_upload": {"days_after_initiation": 7},
                }
            ],
            opts=child,
        )
        # S3 refuses to set a policy and the block of public ones at the same moment.
        policy = aws.s3.BucketPolicy(
            f"{name}-policy",
            bucket=bucket.bucket,
            policy=document(bucket_policy(self.bucket_name, config.account_id)),
            opts=pulumi.ResourceOptions(parent=self, depends_on=[private]),
        )
        return [private, encrypted, lifecycle, policy]


def export_spec(config: StackConfig, bucket: pulumi.Input[str]) -> aws.bcmdata.ExportExportArgs:
    """What is exported, and where to. The API stands in us-east-1 for every region, and the SDK goes there by itself."""
    output = aws.bcmdata.ExportExportDestinationConfigurationS3DestinationS3OutputConfigurationArgs(
        output_type="CUSTOM", format="PARQUET", compression="PARQUET", overwrite="OVERWRITE_REPORT"
    )
    destination = aws.bcmdata.ExportExportDestinationConfigurationS3DestinationArgs(
        s3_bucket=bucket, s3_prefix=PREFIX, s3_region=config.region, s3_output_configurations=[output]
    )
    return aws.bcmdata.ExportExportArgs(
        name=config.cluster_name,
        description=f"Hourly cost of {config.cluster_name} by resource and pod",
        data_queries=[
            aws.bcmdata.ExportExportDataQueryArgs(
                query_statement=QUERY,
                table_configurations={TABLE: table_configuration(config.account_id)},
            )
        ],
        destination_configurations=[
            aws.bcmdata.ExportExportDestinationConfigurationArgs(s3_destinations=[destination])
        ],
        refresh_cadences=[aws.bcmdata.ExportExportRefreshCadenceArgs(frequency="SYNCHRONOUS")],
    )


def table_configuration(account: str) -> dict[str, str]:
    """Every setting of the table: one left out would come back from AWS, and look like a change that replaces."""
    return {
        "BILLING_VIEW_ARN": f"arn:aws:billing::{account}:billingview/primary",
        "TIME_GRANULARITY": "HOURLY",
        "INCLUDE_RESOURCES": "TRUE",
        "INCLUDE_SPLIT_COST_ALLOCATION_DATA": "TRUE",
        "INCLUDE_MANUAL_DISCOUNT_COMPATIBILITY": "FALSE",
        "INCLUDE_CAPACITY_RESERVATION_DATA": "FALSE",
        "INCLUDE_IAM_PRINCIPAL_DATA": "FALSE",
    }


def bucket_policy(bucket: str, account: str) -> dict[str, Any]:
    """Let AWS's billing write the exports of this account and look at this policy, and nobody do anything without TLS."""
    arn = f"arn:aws:s3:::{bucket}"
    sources = [
        f"arn:aws:bcm-data-exports:us-east-1:{account}:export/*",
        f"arn:aws:cur:us-east-1:{account}:definition/*",
    ]
    writers = {
        "Effect": "Allow",
        "Principal": {"Service": list(WRITERS)},
        "Condition": {"StringEquals": {"aws:SourceAccount": account}, "ArnLike": {"aws:SourceArn": sources}},
    }
    return {
        "Statement": [
            {"Sid": "AllowExports", **writers, "Action": "s3:PutObject", "Resource": f"{arn}/*"},
            {"Sid": "AllowLookAtPolicy", **writers, "Action": "s3:GetBucketPolicy", "Resource": arn},
            {
                "Sid": "DenyHTTP",
                "Effect": "Deny",
                "Principal": "*",
                "Action": "s3:*",
                "Resource": [arn, f"{arn}/*"],
                "Condition": {"Bool": {"aws:SecureTransport": "false"}},
            },
        ]
    }
