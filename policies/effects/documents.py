"""Which AWS resources hold an IAM document, and in which fields."""

from collections.abc import Mapping

_POLICY = ("policy",)
_EITHER = ("policy", "policyDocument")
"""The field of the provider aws, and the field of aws-native."""
_RESOURCE_POLICY = ("resourcePolicy",)
_KEY = ("policy", "keyPolicy")
_ATTACHED = "policies.policyDocument"
"""Inline policies of users, groups and roles in the provider aws-native."""

_OF_IDENTITIES: Mapping[str, tuple[str, ...]] = {
    "Policy": _EITHER,
    "ManagedPolicy": ("policyDocument",),
    "Role": ("assumeRolePolicy", "assumeRolePolicyDocument", "inlinePolicies.policy", _ATTACHED),
    "RolePolicy": _EITHER,
    "User": (_ATTACHED,),
    "UserPolicy": _EITHER,
    "Group": (_ATTACHED,),
    "GroupPolicy": _EITHER,
    "PermissionSet": ("inlinePolicy",),
    "PermissionSetInlinePolicy": ("inlinePolicy",),
}
_OF_BUCKETS: Mapping[str, tuple[str, ...]] = {
    "Bucket": _POLICY,
    "BucketV2": _POLICY,
    "BucketPolicy": _EITHER,
    "AccessPoint": _POLICY,
    "AccessPointPolicy": _EITHER,
    "MultiRegionAccessPointPolicy": ("policy", "details.policy"),
    "ObjectLambdaAccessPointPolicy": _POLICY,
    "AccessGrantsInstanceResourcePolicy": _POLICY,
    "TableBucketPolicy": _RESOURCE_POLICY,
    "TablePolicy": _RESOURCE_POLICY,
    "VectorsVectorBucketPolicy": _POLICY,
    "VectorBucketPolicy": _POLICY,
    "FilesFileSystemPolicy": _POLICY,
}
BUCKET_KINDS = tuple(_OF_BUCKETS)
"""Kinds of buckets, of their access points and of their documents."""
_OF_KEYS: Mapping[str, tuple[str, ...]] = {
    "Key": _KEY,
    "KeyPolicy": _POLICY,
    "ReplicaKey": _KEY,
    "ExternalKey": _POLICY,
    "ReplicaExternalKey": _POLICY,
}
KEY_KINDS = tuple(_OF_KEYS)
"""Kinds of KMS keys and of their documents."""
_OF_OTHERS: Mapping[str, tuple[str, ...]] = {
    "Queue": _POLICY,
    "QueuePolicy": _EITHER,
    "QueueInlinePolicy": ("policyDocument",),
    "Topic": _POLICY,
    "TopicPolicy": _EITHER,
    "TopicInlinePolicy": ("policyDocument",),
    "Repository": ("repositoryPolicyText", "permissionsPolicyDocument"),
    "PublicRepository": ("repositoryPolicyText",),
    "RepositoryPolicy": _POLICY,
    "RepositoryPermissionsPolicy": ("policyDocument",),
    "RepositoryCreationTemplate": ("repositoryPolicy",),
    "RegistryPolicy": ("policy", "policyText"),
    "Domain": ("accessPolicies", "permissionsPolicyDocument"),
    "DomainPermissions": ("policyDocument",),
    "DomainPolicy": ("accessPolicies",),
    "Secret": _POLICY,
    "SecretPolicy": _POLICY,
    "ResourcePolicy": ("policy", "policyDocument", "resourcePolicy"),
    "Table": ("resourcePolicy.policyDocument",),
    "FileSystem": ("fileSystemPolicy",),
    "FileSystemPolicy": _POLICY,
    "VaultPolicy": _POLICY,
    "BackupVault": ("accessPolicy",),
    "EventBus": _POLICY,
    "EventBusPolicy": _POLICY,
    "LogResourcePolicy": ("policyDocument",),
    "LogDestinationPolicy": ("accessPolicy",),
    "ClusterPolicy": _POLICY,
    "SinkPolicy": _POLICY,
    "ModelPackageGroupPolicy": _RESOURCE_POLICY,
    # Each of these resources is a single permission, which effects/permissions.py reads as a statement.
    "Permission": (),
    "LayerVersionPermission": (),
    "EventPermission": (),
}
ENDPOINT_KINDS = ("VpcEndpoint", "VpcEndpointPolicy")
"""Kinds of VPC endpoints. Their documents grant nothing; they narrow what requests through the endpoint may do."""

DOCUMENT_FIELDS: Mapping[str, tuple[str, ...]] = {
    **_OF_IDENTITIES,
    **_OF_BUCKETS,
    **_OF_KEYS,
    **_OF_OTHERS,
    **dict.fromkeys(ENDPOINT_KINDS, _EITHER),
}
"""Kind of AWS resource → paths of the fields that hold a document; a path goes through lists of blocks."""
DOCUMENT_KINDS = tuple(kind for kind in DOCUMENT_FIELDS if kind not in ENDPOINT_KINDS)
"""Kinds of resources that hold an IAM document which grants rights."""
