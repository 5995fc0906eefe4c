"""Admission policies: rules in CEL about the objects of tenants, with the message that a tenant reads.

The API server itself evaluates them (ValidatingAdmissionPolicy), so admission depends on no pod and no webhook.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from ..catalog.labels import TENANT_LABEL
from ..config import StackConfig
from ..records import Record, field
from .literals import write_literal

Operation = Literal["CREATE", "UPDATE", "DELETE"]


class WaivableRule(Record, kw_only=True):
    """One thing that tenants may not do, unless a waiver of the stack lifts the rule."""

    id: str
    """Stable name, which waivers and docs/tenants.md use, such as ``no-node-name``."""
    keeps: str
    """The promise of the rule, as a sentence for docs/tenants.md."""
    message: str
    """What the tenant reads: the fault and what to write instead."""
    is_message_cel: bool = False
    """True if the message is CEL that evaluates to the text."""


class AdmissionRule(WaivableRule, kw_only=True):
    """A rule that an admission policy judges."""

    expression: str
    """CEL that is true for a right object."""


class Match(Record, kw_only=True):
    """Objects and operations that a policy judges."""

    group: str
    resources: tuple[str, ...]
    operations: tuple[Operation, ...] = ("CREATE", "UPDATE")
    versions: tuple[str, ...] = ("v1",)


class AdmissionPolicy(Record, kw_only=True):
    """Rules about the same objects. The API server reports only the first rule that an object breaks."""

    name: str
    """Name of the policy and of its binding, such as ``gpu-blueprint-pods``."""
    matches: tuple[Match, ...]
    rules: tuple[AdmissionRule, ...]
    variables: Mapping[str, str] = field(default_factory=dict)
    """Name → CEL; a variable may use the variables before it."""
    conditions: Mapping[str, str] = field(default_factory=dict)
    """Name → CEL; the policy skips an object unless all are true."""
    only_warns: bool = False
    """True for templates of pods: `kubectl apply` warns at once, and the pod itself is refused later."""
    always_denies: bool = False
    """True for rules about objects of the platform: they break no workload, and deny even with `enforcement: warn`."""


def build_policy_spec(config: StackConfig, policy: AdmissionPolicy) -> dict[str, Any]:
    """Return the ``spec`` of a ValidatingAdmissionPolicy, with the waivers of the stack."""
    return {
        "failurePolicy": "Fail",
        "matchConstraints": build_match_constraints(policy.matches),
        **_list_named("matchConditions", policy.conditions),
        **_list_named("variables", policy.variables),
        "validations": [_build_validation(rule, list_waived_namespaces(config, rule.id)) for rule in policy.rules],
    }


def build_match_constraints(matches: Sequence[Match]) -> dict[str, Any]:
    """Return the ``matchConstraints`` of a policy, with every default.

    The API server writes defaults into this field. A manifest without the defaults differs from the cluster even if
    nothing has changed, so a second field manager of the policy, such as Flux after Pulumi, meets a conflict.
    """
    rules = [
        {
            "apiGroups": [match.group],
            "apiVersions": list(match.versions),
            "operations": list(match.operations),
            "resources": list(match.resources),
            "scope": "*",
        }
        for match in matches
    ]
    return {"matchPolicy": "Equivalent", "namespaceSelector": {}, "objectSelector": {}, "resourceRules": rules}


def _list_named(field_name: str, expressions: Mapping[str, str]) -> dict[str, Any]:
    named = [{"name": name, "expression": expression} for name, expression in expressions.items()]
    return {field_name: named} if named else {}


def _build_validation(rule: AdmissionRule, waived: Sequence[str]) -> dict[str, Any]:
    expression = f"request.namespace in {write_literal(waived)} || ({rule.expression})" if waived else rule.expression
    end = f" [{rule.id}]"  # by this name the platform team finds or waives the rule
    if rule.is_message_cel:
        message = {"messageExpression": f"({rule.message}) + {write_literal(end)}"}
    else:
        message = {"message": rule.message + end}
    return {"expression": expression, "reason": "Forbidden", **message}


def list_waived_namespaces(config: StackConfig, rule: str) -> list[str]:
    """Return the namespaces of tenants for which a waiver lifts a rule."""
    tenants = {waiver.resource for waiver in config.waivers if waiver.rule == rule}
    return [tenant.namespace_name for tenant in config.tenants if tenant.name in tenants]


def build_binding_spec(config: StackConfig, policy: AdmissionPolicy) -> dict[str, Any]:
    """Return the ``spec`` of the binding of a policy to the namespaces of all tenants."""
    warns = policy.only_warns or (config.tenancy.enforcement == "warn" and not policy.always_denies)
    return {
        "policyName": policy.name,
        "validationActions": ["Warn", "Audit"] if warns else ["Deny"],
        "matchResources": build_tenant_selector(),
    }


def build_tenant_selector() -> dict[str, Any]:
    """Return the ``matchResources`` of bindings: the namespaces that carry the label of a tenant.

    The value states every default, as in ``build_match_constraints``.
    """
    tenants = {"matchExpressions": [{"key": TENANT_LABEL, "operator": "Exists"}]}
    return {"matchPolicy": "Equivalent", "namespaceSelector": tenants, "objectSelector": {}}
