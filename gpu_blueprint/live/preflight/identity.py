"""Does a command ask the right account, is its caller an admin, and is the cluster's name free or this platform's?"""

import re
from collections.abc import Iterator
from functools import partial
from typing import Any

from ...config import StackConfig
from ...problem import Problem
from .answers import Account, Question, RefusedError, read_part
from .findings import Finding, confirm, report


def list_questions(stack: StackConfig) -> Iterator[Question]:
    """Yield the questions for the caller's identity and for the cluster."""
    yield Question(check="account", subject=stack.account_id, ask=partial(check_account, stack))
    yield Question(check="admins", subject="the caller", ask=partial(_check_admin, stack))
    yield Question(check="cluster", subject=stack.cluster_name, ask=partial(_check_cluster, stack))


def check_account(stack: StackConfig, account: Account) -> list[Finding]:
    """Return the finding that the credentials belong to the stack's account, or to another account."""
    caller = account.ask("sts", "GetCallerIdentity")
    number, arn = read_part(caller, "Account"), read_part(caller, "Arn")
    if number == stack.account_id:
        return [confirm("account", number, f"asked as {arn}")]
    reason = f"the credentials belong to account {number} ({arn}), so every answer is about that account"
    hint = f"log in to account {stack.account_id}, or name its profile with --profile; `pulumi up` would refuse too"
    return [report("account", stack.account_id, Problem("account-mismatch", ("accountId",), reason, hint))]


def _check_admin(stack: StackConfig, account: Account) -> list[Finding]:
    """Return the finding that the caller is an admin of the cluster, or cannot fill it as the caller of `pulumi up`."""
    caller = account.ask("sts", "GetCallerIdentity")
    if read_part(caller, "Account") != stack.account_id:
        return []  # the check of the account reports it
    principal = _find_principal(read_part(caller, "Arn"), account)
    if principal in stack.cluster.admins:
        return [confirm("admins", principal, "one of cluster.admins")]
    reason = "the caller is not one of cluster.admins, so as the caller `pulumi up` makes a cluster that refuses it"
    hint = f"run `pulumi up` as one of cluster.admins, or add {principal}"
    return [report("admins", principal, Problem("caller-not-admin", ("cluster", "admins"), reason, hint, "warning"))]


def _find_principal(arn: str, account: Account) -> str:
    """Return the ARN by which EKS knows a caller. The ARN of a session leaves out the path of its role."""
    session = re.fullmatch(r"arn:aws:sts::\d+:assumed-role/([^/]+)/.+", arn)
    if session is None:
        return arn
    found: str = read_part(account.ask("iam", "GetRole", RoleName=session[1]), "Role", "Arn")
    return found


def find_cluster(stack: StackConfig, account: Account) -> dict[str, Any] | None:
    """Return the cluster that has the stack's name, if there is one."""
    try:
        cluster: dict[str, Any] = read_part(account.ask("eks", "DescribeCluster", name=stack.cluster_name), "cluster")
    except RefusedError as refusal:
        if refusal.code == "ResourceNotFoundException":
            return None
        raise
    return cluster


def is_ours(stack: StackConfig, tags: dict[str, str]) -> bool:
    """Return whether the tags say that this program made the resource for this environment."""
    return tags.get("managed-by") == "gpu-blueprint" and tags.get("environment", stack.environment) == stack.environment


def _check_cluster(stack: StackConfig, account: Account) -> list[Finding]:
    name, cluster = stack.cluster_name, find_cluster(stack, account)
    if cluster is None:
        return [confirm("cluster", name, "the name is free")]
    tags = cluster.get("tags") or {}
    if is_ours(stack, tags):
        state = f"{cluster.get('status')}, Kubernetes {cluster.get('version')}"
        return [confirm("cluster", name, f"the cluster exists and belongs to this platform: {state}")]
    ours = tags.get("managed-by") == "gpu-blueprint"
    owner = f"the environment {tags.get('environment')!r}" if ours else "another owner"
    reason = f"a cluster with the name {name} exists and belongs to {owner}"
    problem = Problem("cluster-name-taken", ("cluster", "name"), reason, "choose another name in cluster.name")
    return [report("cluster", name, problem)]
