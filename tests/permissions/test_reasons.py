"""Every statement of every role has a reason, and a statement without a reason is found."""

import json

import pytest

from gpu_blueprint.permissions import PlatformRole, UnexplainedError, list_roles
from gpu_blueprint.permissions.reasons import REASONS
from gpu_blueprint.records import replace

from ..support.permission_plans import config_of, full_plan, full_stack
from ..support.plans import SHIPPED, STRICT, Plan, find_resource, find_resources, plan, shipped_config


def list_reasons(role: PlatformRole) -> list[str]:
    return [*(part.reason for part in role.statements), *(policy.reason for policy in role.managed_policies)]


def add_statement(planned: Plan, policy: str) -> Plan:
    """Return a plan whose policy has one statement more."""
    found = find_resource(planned, "aws:iam/policy:Policy", policy)
    document = json.loads(found.inputs["policy"])
    document["Statement"].append({"Sid": "New", "Effect": "Allow", "Action": "s3:GetObject", "Resource": "*"})
    changed = replace(found, inputs={**found.inputs, "policy": json.dumps(document)})
    return tuple(changed if resource is found else resource for resource in planned)


@pytest.mark.parametrize("stack", [*SHIPPED, *STRICT])
def test_every_statement_of_the_shipped_stacks_has_a_reason(stack: str) -> None:
    for role in list_roles(shipped_config(stack), plan(stack)):
        assert role.users, role.name
        reasons = list_reasons(role)
        assert reasons and all(reason and not reason.endswith(".") for reason in reasons), role.name


def test_every_statement_of_a_stack_with_everything_has_a_reason() -> None:
    roles = list_roles(config_of(full_stack()), full_plan())
    assert all(list_reasons(role) and all(list_reasons(role)) for role in roles)


@pytest.mark.parametrize("policy", ["-karpenter-interruption", "-images-repositories"])
def test_a_new_statement_of_the_platform_without_a_reason_is_an_error(policy: str) -> None:
    with pytest.raises(UnexplainedError, match=r"the statement New of the policy .* has no reason"):
        list_roles(shipped_config("prod"), add_statement(plan("prod"), policy))


def test_a_new_statement_of_a_tenant_without_a_source_is_an_error() -> None:
    with pytest.raises(UnexplainedError, match="no source of grants explains"):
        list_roles(shipped_config("prod"), add_statement(plan("prod"), "-tenant-training.default-grants"))


def test_each_reason_belongs_to_a_policy_that_some_role_has() -> None:
    plans = (full_plan(), plan("bank"))
    made = [policy.name for planned in plans for policy in find_resources(planned, "aws:iam/policy:Policy")]
    assert [title for title in REASONS if not any(name.endswith(f"-{title}") for name in made)] == []
