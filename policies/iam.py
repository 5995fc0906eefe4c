"""Rules for IAM documents: which actions they allow, to whom, and on which resources."""

import json
import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import Any

from .resources import Resource
from .rule import Report, Rule, Settings
from .values import UNKNOWN, NotYetKnownError

KINDS = (
    "Policy",
    "Role",
    "RolePolicy",
    "Queue",
    "QueuePolicy",
    "Key",
    "KeyPolicy",
    "Bucket",
    "BucketPolicy",
    "Topic",
    "TopicPolicy",
)
"""Kinds of resources that hold an IAM document."""


def _list_documents(resource: Resource) -> Iterator[Any]:
    yield from (
        resource.props[field] for field in ("policy", "assumeRolePolicy") if resource.props.get(field) is not None
    )
    yield from (
        inline["policy"] for inline in resource.props.get("inlinePolicies") or [] if inline.get("policy") is not None
    )


def _list_allowing_statements(resource: Resource) -> Iterator[dict[str, Any]]:
    """Yield the statements with the effect Allow.

    Raises:
        NotYetKnownError: A document is not known yet, or is not JSON.
    """
    for document in _list_documents(resource):
        if document is UNKNOWN:
            raise NotYetKnownError("the document")
        try:
            content = json.loads(document) if isinstance(document, str) else document
        except ValueError:
            raise NotYetKnownError("the document") from None
        yield from (statement for statement in _as_list(content.get("Statement")) if statement.get("Effect") == "Allow")


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value] if value is not None else []


def _find_allowed(statement: dict[str, Any], *actions: str) -> list[str]:
    """Return the given actions that a statement allows. IAM knows wildcards and ignores upper and lower case."""
    patterns = [str(pattern).lower() for pattern in _as_list(statement.get("Action"))]
    return [action for action in actions if any(fnmatchcase(action.lower(), pattern) for pattern in patterns)]


_OWN_ACCOUNT = re.compile(r"arn:aws[a-z-]*:iam::\d{12}:root|\d{12}")


def _lets_account_manage_key(resource: Resource, statement: dict[str, Any]) -> bool:
    """Tell whether a statement puts a KMS key under its account's IAM. A key without this statement has no manager."""
    principal = statement.get("Principal")
    owners = _as_list(principal.get("AWS")) if isinstance(principal, dict) and len(principal) == 1 else []
    return (
        resource.kind in ("Key", "KeyPolicy")
        and _as_list(statement.get("Action")) == ["kms:*"]
        and bool(owners)
        and all(_OWN_ACCOUNT.fullmatch(str(owner)) for owner in owners)
    )


def _refuse_wildcard_actions(resource: Resource, report: Report, _: Settings) -> None:
    for statement in _list_allowing_statements(resource):
        if _lets_account_manage_key(resource, statement):
            continue
        for action in _as_list(statement.get("Action")):
            if set("*?") & set(str(action)):
                report(f"{resource.name} allows {action}")
        if "NotAction" in statement:
            report(f"{resource.name} allows every action except {statement['NotAction']}")


def _list_bound_keys(statement: dict[str, Any]) -> set[str]:
    """Return the condition keys that a statement limits. A condition with ``Not`` or the value ``*`` limits nothing."""
    return {
        key.lower()
        for operator, condition in (statement.get("Condition") or {}).items()
        for key, value in condition.items()
        if "Not" not in operator and "*" not in _as_list(value)
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
    for statement in _list_allowing_statements(resource):
        principal = statement.get("Principal")
        values = (
            [item for value in principal.values() for item in _as_list(value)]
            if isinstance(principal, dict)
            else _as_list(principal)
        )
        keys = _list_bound_keys(statement)
        if "NotPrincipal" in statement or ("*" in values and not keys & set(_IDENTITY_KEYS)):
            report(f"{resource.name} trusts everyone")


def _refuse_unlimited_pass_role(resource: Resource, report: Report, _: Settings) -> None:
    for statement in _list_allowing_statements(resource):
        targets = _as_list(statement.get("Resource")) if _find_allowed(statement, "iam:PassRole") else []
        if any(set("*?") & set(str(target)) for target in targets) or (
            targets == [] and "NotResource" in statement and _find_allowed(statement, "iam:PassRole")
        ):
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
    for statement in _list_allowing_statements(resource):
        actions = _find_allowed(statement, *_LAUNCH_ACTIONS)
        targets = [str(target) for target in _as_list(statement.get("Resource"))]
        shared = bool(targets) and all(target.split(":")[-1].split("/")[0] in _SHARED_RESOURCES for target in targets)
        keys = _list_bound_keys(statement)
        if actions and not shared and not any("tag/" in key for key in keys):
            report(f"{resource.name} allows {', '.join(actions)} on machines of every cluster in the account")


RULES = (
    Rule(
        id="no-wildcard-action",
        kinds=KINDS,
        check=_refuse_wildcard_actions,
        looks_at="actions that IAM documents allow",
        passes="each action has its full name; kms:* is allowed in a key's policy for the key's own account",
        fails="an action contains * or ?, or the document allows all actions except some",
        why="an action that AWS adds later is allowed from its first day",
        fix="name the actions",
    ),
    Rule(
        id="no-wildcard-principal",
        kinds=KINDS,
        check=_refuse_wildcard_principals,
        looks_at="principals that IAM documents trust",
        passes="the principals are named, or a condition limits them",
        fails="the document trusts * without a condition on the identity, or says NotPrincipal",
        why="any AWS account may use the resource",
        fix="name the principal or add a condition",
    ),
    Rule(
        id="pass-role-scoped",
        kinds=KINDS,
        check=_refuse_unlimited_pass_role,
        looks_at="iam:PassRole in IAM documents",
        passes="the permission is limited to named roles",
        fails="the resource contains * or ?, or the statement says NotResource",
        why="its holder can take over every role of the account",
        fix="name the node role",
    ),
    Rule(
        id="launch-scoped",
        kinds=KINDS,
        check=_refuse_unlimited_launch,
        looks_at="permissions to launch, tag and terminate EC2 machines",
        passes="conditions limit them to machines of the cluster",
        fails="no condition limits them",
        why="a controller can terminate machines of another cluster",
        fix="add a condition on the cluster's tags",
    ),
)
