"""IAM documents: what may be done, by whom, to what."""

import json
from collections.abc import Iterator
from typing import Any

from .rule import NotYetKnownError, Report, Resource, Rule, Settings

_DOCUMENTS = ("policy", "assumeRolePolicy")
KINDS = ("Policy", "Role", "RolePolicy", "QueuePolicy", "KeyPolicy", "BucketPolicy", "TopicPolicy")


def _statements(resource: Resource) -> Iterator[dict[str, Any]]:
    """The statements that allow something."""
    for field in _DOCUMENTS:
        text = resource.get(field)
        if not isinstance(text, str):
            continue
        try:
            listed = json.loads(text)["Statement"]
        except ValueError:
            raise NotYetKnownError(field) from None
        yield from (one for one in ([listed] if isinstance(listed, dict) else listed) if one.get("Effect") == "Allow")


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value] if value is not None else []


def _actions_named(resource: Resource, report: Report, _: Settings) -> None:
    for statement in _statements(resource):
        for action in _listed(statement.get("Action")):
            if "*" in action:
                report(f"{resource.name} allows {action}")
        if "NotAction" in statement:
            report(f"{resource.name} allows everything but {statement['NotAction']}")


def _principals_named(resource: Resource, report: Report, _: Settings) -> None:
    for statement in _statements(resource):
        principal = statement.get("Principal")
        values = (
            [item for value in principal.values() for item in _listed(value)]
            if isinstance(principal, dict)
            else _listed(principal)
        )
        if "*" in values and not statement.get("Condition"):
            report(f"{resource.name} trusts everybody")


def _pass_role_scoped(resource: Resource, report: Report, _: Settings) -> None:
    for statement in _statements(resource):
        targets = _listed(statement.get("Resource")) if "iam:PassRole" in _listed(statement.get("Action")) else []
        if any(target.endswith("*") for target in targets):
            report(f"{resource.name} may pass any role to a machine")


_LAUNCH = (
    "ec2:CreateFleet",
    "ec2:CreateLaunchTemplate",
    "ec2:TerminateInstances",
    "ec2:DeleteLaunchTemplate",
    "ec2:CreateTags",
)
_SHARED = ("image", "snapshot", "security-group", "subnet", "capacity-reservation", "placement-group")


def _launch_scoped(resource: Resource, report: Report, _: Settings) -> None:
    for statement in _statements(resource):
        actions = [action for action in _listed(statement.get("Action")) if action in _LAUNCH]
        targets = _listed(statement.get("Resource"))
        shared = all(target.split(":")[-1].split("/")[0] in _SHARED for target in targets)
        if actions and not statement.get("Condition") and not shared:
            report(f"{resource.name} allows {', '.join(actions)} on machines of every cluster in the account")


RULES = (
    Rule(
        id="no-wildcard-action", kinds=KINDS, check=_actions_named,
        looks_at="actions that IAM documents allow", passes="each is named in full", fails="one has a *",
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
