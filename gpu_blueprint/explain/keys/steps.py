"""The KMS keys of a stack, explained: what each key encrypts, and the statements of its policy."""

import json
from collections.abc import Iterator

from ...config import StackConfig
from ...subjects.keys.key_policies import KeyPolicy, list_key_policies
from ..facet import Explain, Part
from ..step import Step


def describe_keys(stack: StackConfig) -> Iterator[str]:
    """Yield a line for each key of a stack."""
    for policy in list_key_policies(stack):
        yield f"{', '.join(policy.uses)}: {policy.arn}"


def explain_keys(stack: StackConfig) -> Iterator[Step]:
    """Yield the steps for each key: its uses, the reason of each statement, and the policy's statements to copy."""
    policies = list_key_policies(stack)
    for policy in policies:
        yield Step("key", (policy.arn, f"encrypts {', '.join(policy.uses)}"))
        for each in policy.statements:
            yield Step(str(each.statement["Sid"]), (each.reason, f"source: {each.source}"))
        yield Step("its policy", tuple(_write_statements(policy)))
    if not policies:
        yield Step("AWS's keys", (_describe_no_keys(stack),))


def _describe_no_keys(stack: StackConfig) -> str:
    secrets = (
        "EKS has a key of the platform" if stack.new_cluster else "the cluster's owner chose the key of its secrets"
    )
    return f"the file names no key, in encryption or elsewhere; {secrets}"


def _write_statements(policy: KeyPolicy) -> Iterator[str]:
    yield "needs these statements in addition to its administrators', and accepts only existing roles:"
    yield from _indent(json.dumps([each.statement for each in policy.statements], indent=2))
    for command in policy.commands:
        yield "the key is in another account, so the account of the stack also runs, once Auto Scaling has its role:"
        yield f"    {command}"


def _indent(text: str) -> Iterator[str]:
    return (f"    {line}" for line in text.splitlines())


def _list_parts(stack: StackConfig, _: str) -> Iterator[Part]:
    yield Part("keys", "KMS keys of the company", explain_keys(stack), is_listed=False)


EXPLAIN = Explain(lines={"keys": describe_keys}, parts=_list_parts)
