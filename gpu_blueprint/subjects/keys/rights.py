"""The rights to use the company's own keys that the platform's roles need, each through one AWS service alone.

EC2, SQS and ECR call KMS as the role that asks them, so the role needs the rights (KMS developer guide, "Forward access
sessions"). CloudWatch Logs, SNS and EventBridge call KMS as themselves: key_policies.py has their statements. A node
that pulls a cached image needs no right, because ECR decrypts layers by a grant of its own (ECR user guide,
"Encryption at rest"). Read 2026-11-27 and 2026-11-28, in part second-hand; no real account was asked.
"""

from collections.abc import Sequence
from typing import Any

from ...config import StackConfig

_THROUGH = "kms:ViaService"
_LAUNCH = (
    "kms:Decrypt",
    "kms:DescribeKey",
    "kms:GenerateDataKeyWithoutPlaintext",
    "kms:ReEncryptFrom",
    "kms:ReEncryptTo",
)
"""What a caller of EC2 needs for an encrypted volume, beside the grant (EBS user guide, "Requirements for EBS
encryption"; CloudTrail of aws/karpenter-provider-aws#4935 shows GenerateDataKeyWithoutPlaintext)."""


def list_volume_keys(config: StackConfig) -> list[str]:
    """Return the keys of new and of older EBS volumes."""
    key = config.encryption.volumes_key
    return list(dict.fromkeys([*([key] if key else []), *config.encryption.former_key_arns]))


def build_volume_statements(config: StackConfig) -> list[dict[str, Any]]:
    """Return the statements for a role that makes or attaches volumes: Karpenter's, and the EBS CSI driver's.

    A volume stays attached by a grant. The last condition lets the role hand a grant to EC2 alone. A volume that exists
    is attached with its own key, also after the stack has another key.
    """
    keys = list_volume_keys(config)
    if not keys:
        return []
    through = {_THROUGH: f"ec2.{config.region}.amazonaws.com"}
    return [
        _allow("AllowVolumeKeys", _LAUNCH, keys, {"StringEquals": through}),
        _allow(
            "AllowVolumeGrants",
            ("kms:CreateGrant",),
            keys,
            {"StringEquals": through, "Bool": {"kms:GrantIsForAWSResource": "true"}},
        ),
    ]


def build_queue_statements(config: StackConfig) -> list[dict[str, Any]]:
    """Return the statement for Karpenter's controller, which reads its queue.

    Source: SQS developer guide, "Key management", permissions of consumers.
    """
    key = config.encryption.messages_key
    through = {"StringEquals": {_THROUGH: f"sqs.{config.region}.amazonaws.com"}}
    return [_allow("AllowQueueKey", ("kms:Decrypt",), [key], through)] if key else []


def build_repository_statements(config: StackConfig) -> list[dict[str, Any]]:
    """Return the statements for the role with which ECR makes cached repositories.

    Source: ECR user guide, "Create a custom policy for repository creation templates".
    """
    key = config.encryption.images_key
    through = {"StringEquals": {_THROUGH: f"ecr.{config.region}.amazonaws.com"}}
    actions = ("kms:CreateGrant", "kms:RetireGrant", "kms:DescribeKey")
    return [_allow("AllowImagesKey", actions, [key], through)] if key else []


def _allow(sid: str, actions: Sequence[str], keys: Sequence[str], condition: dict[str, Any]) -> dict[str, Any]:
    return {"Sid": sid, "Effect": "Allow", "Action": [*actions], "Resource": [*keys], "Condition": condition}
