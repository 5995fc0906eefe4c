"""IAM documents: what may be done, by whom, to what."""

import json
import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import Any

from .rule import UNKNOWN, NotYetKnownError, Report, Resource, Rule, Settings

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


def _documents(resource: Resource) -> Iterator[Any]:
    yield from (
        resource.props[field] for field in ("policy", "assumeRolePolicy") if resource.props.get(field) is not None
    )
    yield from (
        inline["policy"] for inline in resource.props.get("inlinePolicies") or [] if inline.get("policy") is not None
    )


def _statements(resource: Resource) -> Iterator[dict[str, Any]]:
    """The statements that allow something."""
    for document in _documents(resource):
        if document is UNKNOWN:
            raise NotYetKnownError("the document")
        try:
            read = json.loads(document) if isinstance(document, str) else document
        except ValueError:
            raise NotYetKnownError("the document") from None
        yield from (one for one in _listed(read.get("Statement")) if one.get("Effect") == "Allow")


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value] if value is not None else []


def _allows(statement: dict[str, Any], *actions: str) -> list[str]:
    """Which of some actions a statement allows; IAM knows wildcards and no capital letters."""
    patterns = [str(pattern).lower() for pattern in _listed(statement.get("Action"))]
    return [action for action in actions if any(fnmatchcase(action.lower(), pattern) for pattern in patterns)]


_OWN_ACCOUNT = re.compile(r"arn:aws[a-z-]*:iam::\d{12}:root|\d{12}")


def _keeps_key_manageable(resource: Resource, statement: dict[str, Any]) -> bool:
    """Whether it is the statement by which AWS gives a key into the hands of its account's IAM; without it nobody can manage the key."""
    principal = statement.get("Principal")
    owners = _listed(principal.get("AWS")) if isinstance(principal, dict) and len(principal) == 1 else []
    return (
        resource.kind in ("Key", "KeyPolicy")
        and _listed(statement.get("Action")) == ["kms:*"]
        and bool(owners)
        and all(_OWN_ACCOUNT.fullmatch(str(owner)) for owner in owners)
    )


def _actions_named(resource: Resource, report: Report, _: Settings) -> None:
    for statement in _statements(resource):
        if _keeps_key_manageable(resource, statement):
            continue
        for action in _listed(statement.get("Action")):
            if set("*?") & set(str(action)):
                report(f"{resource.name} allows {action}")
        if "NotAction" in statement:
            report(f"{resource.name} allows everything but {statement['NotAction']}")


def _narrowed(statement: dict[str, Any]) -> set[str]:
    """The condition keys that a statement binds to values; to exclude some, or to admit any, binds nothing."""
    return {
        key.lower()
        for operator, condition in (statement.get("Condition") or {}).items()
        for key, value in condition.items()
        if "Not" not in operator and "*" not in _listed(value)
    }


_WHO = (
    "aws:sourceaccount",
    "aws:sourcearn",
    "aws:principalarn",
    "aws:principalorgid",
    "aws:principalaccount",
    "kms:calleraccount",
)
"""Condition keys that say who may come."""


def _principals_named(resource: Resource, report: Report, _: Settings) -> None:
    for statement in _statements(resource):
        principal = statement.get("Principal")
        values = (
            [item for value in principal.values() for item in _listed(value)]
            if isinstance(principal, dict)
            else _listed(principal)
        )
        keys = _narrowed(statement)
        if "NotPrincipal" in statement or ("*" in values and not keys & set(_WHO)):
            report(f"{resource.name} trusts everybody")


def _pass_role_scoped(resource: Resource, report: Report, _: Settings) -> None:
    for statement in _statements(resource):
        targets = _listed(statement.get("Resource")) if _allows(statement, "iam:PassRole") else []
        if any(set("*?") & set(str(target)) for target in targets) or (
            targets == [] and "NotResource" in statement and _allows(statement, "iam:PassRole")
        ):
            report(f"{resource.name} may pass any role to a machine")


_LAUNCH = (
    "ec2:RunInstances", "ec2:CreateFleet", "ec2:CreateLaunchTemplate", "ec2:TerminateInstances", "ec2:DeleteLaunchTemplate",
    "ec2:CreateTags",
)  # fmt: skip
_SHARED = ("image", "snapshot", "security-group", "subnet", "capacity-reservation", "placement-group")


def _launch_scoped(resource: Resource, report: Report, _: Settings) -> None:
    for statement in _statements(resource):
        actions = _allows(statement, *_LAUNCH)
        targets = [str(target) for target in _listed(statement.get("Resource"))]
        shared = bool(targets) and all(target.split(":")[-1].split("/")[0] in _SHARED for target in targets)
        keys = _narrowed(statement)
        if actions and not shared and not any("tag/" in key for key in keys):
            report(f"{resource.name} allows {', '.join(actions)} on machines of every cluster in the account")


RULES = (
    Rule(
        id="no-wildcard-action", kinds=KINDS, check=_actions_named,
        looks_at="actions that IAM documents allow", passes="each is named in full, but for kms:* in a key's own policy for its account", fails="one has a * or a ?",
        why="new actions of AWS are allowed the day they appear", fix="name the actions",
    ),
    Rule(
        id="no-wildcard-principal", kinds=KINDS, check=_principals_named,
        looks_at="principals that IAM documents trust", passes="they are named, or a condition limits them", fails="* is trusted",
        why="any account may use it", fix="name the principal or add a condition",
    ),
    Rule(
        id="pass-role-scoped", kinds=KINDS, check=_pass_role_scoped,
        looks_at="iam:PassRole", passes="it is limited to named roles", fails="it ends in *",
        why="whoever holds it takes any role of the account", fix="name the node role",
    ),
    Rule(
        id="launch-scoped", kinds=KINDS, check=_launch_scoped,
        looks_at="launching, tagging and terminating EC2 machines", passes="conditions limit it to the cluster's own", fails="there are none",
        why="one controller may end machines of another", fix="condition on the cluster's tags",
    ),
)  # fmt: skip
