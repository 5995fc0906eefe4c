"""Rules for IAM documents: which actions they allow, and on which resources."""

import re

from .effects.actions import fixes_verb, has_wildcard, only_describes, only_uses_keys
from .effects.documents import DOCUMENT_KINDS, KEY_KINDS
from .effects.reach import list_machine_actions, list_ways_to_rights, passes_several_roles
from .effects.statements import Statement, list_statements
from .resources import Resource
from .rule import Report, Rule, Settings, find_wrong
from .values import UNKNOWN


def _refuse_wildcard_actions(resource: Resource, report: Report, _: Settings) -> None:
    for statement in find_wrong(list_statements(resource), lambda statement: bool(_list_open(resource, statement))):
        for actions in _list_open(resource, statement):
            report(f"{resource.name} allows {actions}")


def _list_open(resource: Resource, statement: Statement) -> list[str]:
    """Return the allowed patterns that also match actions or resources of the future."""
    if not statement.allows or _lets_account_manage_key(resource, statement):
        return []
    if statement.not_actions is not None:
        return [f"every action except {_join_names(statement.not_actions)}"]
    if statement.not_resources is not None:
        changing = find_wrong(statement.actions or [], lambda action: not only_describes(action))
        return [f"{action} on every resource except {_join_names(statement.not_resources)}" for action in changing]
    verbs_are_right = _names_users_of_key(resource, statement)
    return find_wrong(
        statement.actions or [], lambda action: _is_open(action) and not (verbs_are_right and fixes_verb(action))
    )


def _join_names(names: list[str]) -> str:
    return ", ".join(repr(name) if name is UNKNOWN else name for name in names)


def _is_open(action: str) -> bool:
    return has_wildcard(action) and not only_uses_keys(action) and not only_describes(action)


_OWN_ACCOUNT = re.compile(r"arn:aws[a-z-]*:iam::\d{12}:root|\d{12}")


def _lets_account_manage_key(resource: Resource, statement: Statement) -> bool:
    """Tell whether a statement lets the account's IAM manage a KMS key; nobody manages a key without such a
    statement."""
    if resource.kind not in KEY_KINDS or statement.actions != ["kms:*"]:
        return False
    principals = statement.principals or {}
    return set(principals) == {"AWS"} and all(_OWN_ACCOUNT.fullmatch(str(owner)) for owner in principals["AWS"])


def _names_users_of_key(resource: Resource, statement: Statement) -> bool:
    """Tell whether a statement of a KMS key's own policy names its principals.

    AWS's own key policies give administrators ``kms:Enable*`` and log groups ``kms:Encrypt*``, and reach this key only.
    """
    principals = [name for names in (statement.principals or {}).values() for name in names]
    return (
        resource.kind in KEY_KINDS
        and bool(principals)
        and not any(name is not UNKNOWN and has_wildcard(name) for name in principals)
    )


def _refuse_unlimited_pass_role(resource: Resource, report: Report, _: Settings) -> None:
    for _statement in find_wrong(list_statements(resource), passes_several_roles):
        report(f"{resource.name} may pass any role to a machine")


def _refuse_unlimited_rights(resource: Resource, report: Report, _: Settings) -> None:
    for statement in find_wrong(list_statements(resource), lambda statement: bool(list_ways_to_rights(statement))):
        way = list_ways_to_rights(statement)[0]
        report(f"{resource.name} lets its holder take rights that it was not given, by {way}")


def _refuse_unlimited_launch(resource: Resource, report: Report, _: Settings) -> None:
    for statement in find_wrong(list_statements(resource), lambda statement: bool(list_machine_actions(statement))):
        actions = ", ".join(list_machine_actions(statement))
        report(f"{resource.name} allows {actions} on machines of every cluster in the account")


RULES = (
    Rule(
        id="no-wildcard-action",
        kinds=DOCUMENT_KINDS,
        check=_refuse_wildcard_actions,
        looks_at="actions that IAM documents allow",
        passes="each action has its full name, or a wildcard such as ec2:Describe* or eks:List* that can only "
        "describe and list, or kms:ReEncrypt* and kms:GenerateDataKey* that can only use keys; in a "
        "key's policy kms:* is allowed for the key's own account, and a whole verb such as kms:Enable* for named "
        "principals",
        fails="another action contains * or ?, s3:Get* too because it reads data, or the document allows all actions "
        "except some, or actions on all resources except some",
        why="an action or a resource that is added later is allowed from its first day",
        fix="name the actions and the resources",
    ),
    Rule(
        id="pass-role-scoped",
        kinds=DOCUMENT_KINDS,
        check=_refuse_unlimited_pass_role,
        looks_at="iam:PassRole in IAM documents",
        passes="the permission is limited to named roles",
        fails="the role's name contains * or ?, or the statement says NotResource",
        why="its holder can take over every role of the account",
        fix="name the node role",
    ),
    Rule(
        id="rights-scoped",
        kinds=DOCUMENT_KINDS,
        check=_refuse_unlimited_rights,
        looks_at="permissions to change the rights of roles, users, groups and policies, to assume roles, to let "
        "people into clusters, and to change the policies of keys, buckets, secrets, queues, topics, repositories, "
        "functions, tables and file systems",
        passes="the permission is limited to named resources, or a condition on iam:PolicyARN, "
        "iam:PermissionsBoundary, eks:policyArn, kms:GrantIsForAWSResource, kms:ViaService or a tag limits it; a "
        "statement with principals is about the resource that holds it. pass-role-scoped judges who may give roles to "
        "instance profiles and Pod Identity associations",
        fails="an action such as iam:AttachRolePolicy, eks:AssociateAccessPolicy, kms:CreateGrant or "
        "s3:PutBucketPolicy is allowed on a name with * or ?, or the statement says NotResource",
        why="its holder can give itself every right in the account, in every cluster, or over the data of others",
        fix="name the roles, users, groups, policies, clusters, keys or others, demand a permissions boundary, "
        "or let grants of keys go to AWS's services alone",
    ),
    Rule(
        id="launch-scoped",
        kinds=DOCUMENT_KINDS,
        check=_refuse_unlimited_launch,
        looks_at="permissions to launch, tag and terminate EC2 machines, and to take over machines that exist: "
        "ec2:ModifyInstanceAttribute, instance profiles, ssm:SendCommand, ec2-instance-connect:SendSSHPublicKey",
        passes="conditions on tags limit them to machines of the cluster; tags of volumes, snapshots and network "
        "interfaces are free, by their ARNs or by ec2:CreateAction",
        fails="no condition limits them",
        why="a controller can terminate machines of another cluster, or run its own programs on them as root",
        fix="add a condition on the cluster's tags",
    ),
)
