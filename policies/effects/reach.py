"""Answer questions about the holder of a statement: which roles, rights and machines beyond its own it can reach."""

from collections.abc import Mapping, Sequence

from gpu_blueprint.catalog.partitions import PARTITIONS

from ..rule import find_wrong
from .actions import allows_action, fits, spans_several
from .conditions import limits_tags, list_comparisons
from .statements import Statement

_RIGHTS: Mapping[str, str] = {
    "iam:AttachRolePolicy": "iam:role",
    "iam:PutRolePolicy": "iam:role",
    "iam:UpdateAssumeRolePolicy": "iam:role",
    "iam:PutRolePermissionsBoundary": "iam:role",
    "iam:DeleteRolePermissionsBoundary": "iam:role",
    "sts:AssumeRole": "iam:role",
    "iam:AttachUserPolicy": "iam:user",
    "iam:PutUserPolicy": "iam:user",
    "iam:CreateAccessKey": "iam:user",
    "iam:CreateLoginProfile": "iam:user",
    "iam:UpdateLoginProfile": "iam:user",
    "iam:CreateServiceSpecificCredential": "iam:user",
    "iam:ResetServiceSpecificCredential": "iam:user",
    "iam:UploadSigningCertificate": "iam:user",
    "iam:PutUserPermissionsBoundary": "iam:user",
    "iam:DeleteUserPermissionsBoundary": "iam:user",
    "iam:AttachGroupPolicy": "iam:group",
    "iam:PutGroupPolicy": "iam:group",
    "iam:AddUserToGroup": "iam:group",
    "iam:CreatePolicyVersion": "iam:policy",
    "iam:SetDefaultPolicyVersion": "iam:policy",
    "iam:UpdateSAMLProvider": "iam:saml-provider",
    "iam:AddClientIDToOpenIDConnectProvider": "iam:oidc-provider",
    "iam:UpdateOpenIDConnectProviderThumbprint": "iam:oidc-provider",
    "eks:CreateAccessEntry": "eks:cluster",
    "eks:AssociateIdentityProviderConfig": "eks:cluster",
    "eks:AssociateAccessPolicy": "eks:access-entry",
    "eks:UpdateAccessEntry": "eks:access-entry",
    "kms:CreateGrant": "kms:key",
    "kms:PutKeyPolicy": "kms:key",
    "s3:PutBucketPolicy": "s3:",
    "s3:PutBucketAcl": "s3:",
    "s3:DeleteBucketPolicy": "s3:",
    "s3:PutAccessPointPolicy": "s3:accesspoint",
    "secretsmanager:PutResourcePolicy": "secretsmanager:secret:",
    "secretsmanager:DeleteResourcePolicy": "secretsmanager:secret:",
    "sqs:AddPermission": "sqs:",
    "sqs:SetQueueAttributes": "sqs:",
    "sns:AddPermission": "sns:",
    "sns:SetTopicAttributes": "sns:",
    "ecr:SetRepositoryPolicy": "ecr:repository",
    "ecr:DeleteRepositoryPolicy": "ecr:repository",
    "lambda:AddPermission": "lambda:function:",
    "lambda:AddLayerVersionPermission": "lambda:layer:",
    "elasticfilesystem:PutFileSystemPolicy": "elasticfilesystem:file-system",
    "elasticfilesystem:DeleteFileSystemPolicy": "elasticfilesystem:file-system",
    "dynamodb:PutResourcePolicy": "dynamodb:table",
    "dynamodb:DeleteResourcePolicy": "dynamodb:table",
}
"""Action that gives its holder further rights → the service and the type of resource that it changes or takes over.

Instance profiles and Pod Identity associations are not among them: AWS asks for iam:PassRole when they get a role, and
``passes_several_roles`` judges iam:PassRole.
"""
_ENDS: Mapping[str, str] = {"s3:": "/", "eks:access-entry": "/", "sns:": ":", "lambda:function:": ":"}
"""Type of resource → the text in an ARN after which all names belong to the same bucket, cluster, topic or function."""
_EVERY_RIGHT, _EVERY_ACCESS = (
    [partition.build_arn(service, policy, account="aws") for partition in PARTITIONS.values()]
    for service, policy in (
        ("iam", "policy/AdministratorAccess"),
        ("eks", "cluster-access-policy/AmazonEKSClusterAdminPolicy"),
    )
)
_BOUNDLESS: Mapping[str, Sequence[str]] = {
    "iam:policyarn": _EVERY_RIGHT,
    "iam:permissionsboundary": _EVERY_RIGHT,
    "eks:policyarn": _EVERY_ACCESS,
    "kms:grantisforawsresource": ["false"],
    "kms:viaservice": ["any.us-east-1.amazonaws.com", "any.us-gov-west-1.amazonaws.com"],
}
"""Condition key that bounds the rights that can be given → the values, in each partition, whose admission bounds
nothing."""


def list_ways_to_rights(statement: Statement) -> list[str]:
    """Return the allowed actions with which a holder gives itself the rights of others, on more than named resources.

    Raises:
        NotYetKnownError: A part of the statement that matters is not known yet.
    """
    found = find_wrong(_RIGHTS, lambda action: allows_action(statement, action) and _reaches_several(statement, action))
    return [] if not found or _limits_rights(statement) else found


def _reaches_several(statement: Statement, action: str) -> bool:
    target = _RIGHTS[action]
    service, _, type_ = target.partition(":")
    return spans_several(statement, service, [type_], _ENDS.get(target))


def _limits_rights(statement: Statement) -> bool:
    return limits_tags(statement) or any(
        comparison.must_match
        and comparison.key in _BOUNDLESS
        and not any(fits(value, boundless) for value in comparison.values for boundless in _BOUNDLESS[comparison.key])
        for comparison in list_comparisons(statement)
    )


def passes_several_roles(statement: Statement) -> bool:
    """Tell whether a holder may pass more than named roles. No condition names roles reliably, so none counts.

    Raises:
        NotYetKnownError: A part of the statement that matters is not known yet.
    """
    return allows_action(statement, "iam:PassRole") and spans_several(statement, "iam", ["role"])


_MACHINE_ACTIONS = (
    *("ec2:RunInstances", "ec2:CreateFleet", "ec2:RequestSpotInstances", "ec2:RequestSpotFleet"),
    *("ec2:CreateLaunchTemplate", "ec2:CreateLaunchTemplateVersion", "ec2:ModifyLaunchTemplate"),
    *(
        "ec2:TerminateInstances",
        "ec2:StopInstances",
        "ec2:RebootInstances",
        "ec2:DeleteFleets",
        "ec2:DeleteLaunchTemplate",
    ),
    *("ec2:CreateTags", "ec2:DeleteTags"),
    *("ec2:ModifyInstanceAttribute", "ec2:ModifyInstanceMetadataOptions", "ec2:CreateReplaceRootVolumeTask"),
    *("ec2:AssociateIamInstanceProfile", "ec2:ReplaceIamInstanceProfileAssociation"),
    *("ec2:DisassociateIamInstanceProfile", "ec2:SendSpotInstanceInterruptions", "ec2:SendDiagnosticInterrupt"),
    *("ssm:SendCommand", "ssm:StartSession", "ssm:CreateAssociation", "ssm:CreateAssociationBatch"),
    *("ec2-instance-connect:SendSSHPublicKey", "ec2-instance-connect:SendSerialConsoleSSHPublicKey"),
)
"""Actions that launch, mark or end machines, and actions that take over a machine: they run commands on it, or change
its start script, its disk, its role or the access to its credentials."""
_MACHINES = ("instance", "fleet", "launch-template", "spot-instances-request", "spot-fleet-request")
"""Types of EC2 resources that are machines or become machines; the others are volumes, networks and images."""


def list_machine_actions(statement: Statement) -> list[str]:
    """Return the allowed actions that launch, tag or end EC2 machines, where neither names nor tags limit them.

    Raises:
        NotYetKnownError: A part of the statement that matters is not known yet.
    """
    found = find_wrong(
        _MACHINE_ACTIONS,
        lambda action: (
            allows_action(statement, action)
            and spans_several(statement, "ec2", _MACHINES)
            and not (action == "ec2:CreateTags" and _tags_new_volumes(statement))
        ),
    )
    return [] if not found or limits_tags(statement) else found


def _tags_new_volumes(statement: Statement) -> bool:
    """Tell whether tags are limited to creations of other things than machines, as in the policy of the EBS driver."""
    return any(
        comparison.must_match
        and comparison.key == "ec2:createaction"
        and not any(fits(value, action.partition(":")[2]) for value in comparison.values for action in _MACHINE_ACTIONS)
        for comparison in list_comparisons(statement)
    )
