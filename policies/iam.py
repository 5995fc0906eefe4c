"""Rules for IAM documents: which actions they allow, to whom, and on which resources."""

import re
from collections.abc import Sequence
from fnmatch import fnmatchcase

from .effects.statements import DOCUMENT_KINDS, Statement, list_statements
from .resources import Resource
from .rule import Report, Rule, Settings, find_wrong


def _find_allowed(statement: Statement, *actions: str) -> list[str]:
    """Return the given actions that a statement allows. IAM knows wildcards and ignores upper and lower case."""
    patterns = [pattern.lower() for pattern in statement.actions or []]
    return [action for action in actions if any(fnmatchcase(action.lower(), pattern) for pattern in patterns)]


_OWN_ACCOUNT = re.compile(r"arn:aws[a-z-]*:iam::\d{12}:root|\d{12}")


def _lets_account_manage_key(resource: Resource, statement: Statement) -> bool:
    """Tell whether a statement puts a KMS key under its account's IAM. A key without this statement has no manager."""
    if resource.kind not in ("Key", "KeyPolicy") or statement.actions != ["kms:*"]:
        return False
    principals = statement.principals or {}
    return set(principals) == {"AWS"} and all(_OWN_ACCOUNT.fullmatch(owner) for owner in principals["AWS"])


def _has_wildcard(text: str) -> bool:
    return "*" in text or "?" in text


def _refuse_wildcard_actions(resource: Resource, report: Report, _: Settings) -> None:
    def is_wrong(statement: Statement) -> bool:
        return (
            statement.allows and bool(_find_wildcards(statement)) and not _lets_account_manage_key(resource, statement)
        )

    for statement in find_wrong(list_statements(resource), is_wrong):
        for actions in _find_wildcards(statement):
            report(f"{resource.name} allows {actions}")


def _find_wildcards(statement: Statement) -> list[str]:
    if statement.not_actions is not None:
        return [f"every action except {', '.join(statement.not_actions)}"]
    return find_wrong(statement.actions or [], _has_wildcard)


def _list_bound_keys(statement: Statement) -> set[str]:
    """Return the condition keys that a statement limits. A condition with ``Not`` or the value ``*`` limits nothing."""
    return {
        key.lower()
        for operator, condition in statement.conditions.items()
        for key, values in condition.items()
        if "Not" not in operator and "*" not in values
    }


_IDENTITY_KEYS = (
    "aws:sourceaccount",
    "aws:sourcearn",
    "aws:principalarn",
    "aws:principalorgid",
    "aws:principalaccount",
    "kms:calleraccount",
)
"""Condition keys that limit who may act."""


def _refuse_wildcard_principals(resource: Resource, report: Report, _: Settings) -> None:
    def is_wrong(statement: Statement) -> bool:
        if not statement.allows:
            return False
        everyone = any("*" in principals for principals in (statement.principals or {}).values())
        return statement.not_principals is not None or (
            everyone and not _list_bound_keys(statement) & set(_IDENTITY_KEYS)
        )

    for _statement in find_wrong(list_statements(resource), is_wrong):
        report(f"{resource.name} trusts everyone")


def _refuse_unlimited_pass_role(resource: Resource, report: Report, _: Settings) -> None:
    def is_wrong(statement: Statement) -> bool:
        if not statement.allows or not _find_allowed(statement, "iam:PassRole"):
            return False
        return statement.not_resources is not None or bool(find_wrong(statement.resources or [], _has_wildcard))

    for _statement in find_wrong(list_statements(resource), is_wrong):
        report(f"{resource.name} may pass any role to a machine")


_LAUNCH_ACTIONS = (
    "ec2:RunInstances",
    "ec2:CreateFleet",
    "ec2:CreateLaunchTemplate",
    "ec2:TerminateInstances",
    "ec2:DeleteLaunchTemplate",
    "ec2:CreateTags",
)
_SHARED_RESOURCES = ("image", "snapshot", "security-group", "subnet", "capacity-reservation", "placement-group")
"""Types of EC2 resources that a launch refers to and that do not belong to a single cluster."""


def _refuse_unlimited_launch(resource: Resource, report: Report, _: Settings) -> None:
    def is_wrong(statement: Statement) -> bool:
        return (
            statement.allows
            and bool(_find_allowed(statement, *_LAUNCH_ACTIONS))
            and not _is_shared(statement.resources or [])
            and not any("tag/" in key for key in _list_bound_keys(statement))
        )

    for statement in find_wrong(list_statements(resource), is_wrong):
        actions = ", ".join(_find_allowed(statement, *_LAUNCH_ACTIONS))
        report(f"{resource.name} allows {actions} on machines of every cluster in the account")


def _is_shared(targets: Sequence[str]) -> bool:
    return bool(targets) and all(target.split(":")[-1].split("/")[0] in _SHARED_RESOURCES for target in targets)


RULES = (
    Rule(
        id="no-wildcard-action",
        kinds=DOCUMENT_KINDS,
        check=_refuse_wildcard_actions,
        looks_at="actions that IAM documents allow",
        passes="each action has its full name; kms:* is allowed in a key's policy for the key's own account",
        fails="an action contains * or ?, or the document allows all actions except some",
        why="an action that AWS adds later is allowed from its first day",
        fix="name the actions",
    ),
    Rule(
        id="no-wildcard-principal",
        kinds=DOCUMENT_KINDS,
        check=_refuse_wildcard_principals,
        looks_at="principals that IAM documents trust",
        passes="the principals are named, or a condition limits them",
        fails="the document trusts * without a condition on the identity, or says NotPrincipal",
        why="any AWS account may use the resource",
        fix="name the principal or add a condition",
    ),
    Rule(
        id="pass-role-scoped",
        kinds=DOCUMENT_KINDS,
        check=_refuse_unlimited_pass_role,
        looks_at="iam:PassRole in IAM documents",
        passes="the permission is limited to named roles",
        fails="the resource contains * or ?, or the statement says NotResource",
        why="its holder can take over every role of the account",
        fix="name the node role",
    ),
    Rule(
        id="launch-scoped",
        kinds=DOCUMENT_KINDS,
        check=_refuse_unlimited_launch,
        looks_at="permissions to launch, tag and terminate EC2 machines",
        passes="conditions limit them to machines of the cluster",
        fails="no condition limits them",
        why="a controller can terminate machines of another cluster",
        fix="add a condition on the cluster's tags",
    ),
)
