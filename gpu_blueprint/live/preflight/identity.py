"""Is it the right account, and is the cluster's name free or its own?"""

from collections.abc import Iterator
from functools import partial
from typing import Any

from ...config import StackConfig
from .answers import Account, Finding, Question, RefusedError, Status, part


def questions(stack: StackConfig) -> Iterator[Question]:
    """Ask who we are, and for the cluster."""
    yield Question(check="account", subject=stack.account_id, ask=partial(_account, stack))
    yield Question(check="cluster", subject=stack.cluster_name, ask=partial(_cluster, stack))


def _account(stack: StackConfig, account: Account) -> list[Finding]:
    caller = account.ask("sts", "GetCallerIdentity")
    number, who = part(caller, "Account"), part(caller, "Arn")
    if number == stack.account_id:
        return [Finding(check="account", subject=number, status=Status.PASS, message=f"asked as {who}")]
    return [
        Finding(
            check="account",
            subject=stack.account_id,
            status=Status.FAIL,
            message=f"the credentials are of account {number} ({who}): everything below is about that one",
            remedy=f"log in to account {stack.account_id}, or name its --profile; `pulumi up` would refuse too",
        )
    ]


def find_cluster(stack: StackConfig, account: Account) -> dict[str, Any] | None:
    """The cluster that has the stack's name, if there is one."""
    try:
        found: dict[str, Any] = part(account.ask("eks", "DescribeCluster", name=stack.cluster_name), "cluster")
    except RefusedError as refusal:
        if refusal.code == "ResourceNotFoundException":
            return None
        raise
    return found


def is_ours(stack: StackConfig, tags: dict[str, str]) -> bool:
    """Whether something was made by this program for this environment."""
    return tags.get("managed-by") == "gpu-blueprint" and tags.get("environment", stack.environment) == stack.environment


def _cluster(stack: StackConfig, account: Account) -> list[Finding]:
    found = find_cluster(stack, account)
    tags = (found or {}).get("tags") or {}
    status, remedy = Status.PASS, ""
    if found is None:
        message = "the name is free"
    elif is_ours(stack, tags):
        message = f"exists already and is this platform's own: {found.get('status')}, Kubernetes {found.get('version')}"
    else:
        status, remedy = Status.FAIL, "choose another name: cluster.name in the stack file"
        whose = f"environment {tags.get('environment')!r}" if tags.get("managed-by") == "gpu-blueprint" else "others"
        message = f"a cluster of this name exists and belongs to {whose}"
    return [Finding(check="cluster", subject=stack.cluster_name, status=status, message=message, remedy=remedy)]
