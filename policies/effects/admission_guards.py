"""Answer whether an admission policy judges what people do with objects in a namespace."""

from collections.abc import Mapping
from typing import Any

from ..resources import Resource, Stack
from ..rule import find_wrong
from ..values import read_mapping, read_text, read_texts
from .kubernetes_rights import matches_any, selects
from .namespaces import read_name


def judges_changes(stack: Stack, group: str, resource: str, namespace: str) -> bool:
    """Tell whether admission policies can refuse both changes and removals of a kind of object in a namespace.

    An empty namespace stands for every namespace. The CEL of a policy is not read.

    Raises:
        NotYetKnownError: No known policy decides, and a policy is not known yet.
    """
    return all(judges(stack, group, resource, operation, namespace) for operation in ("UPDATE", "DELETE"))


def judges(stack: Stack, group: str, resource: str, operation: str, namespace: str) -> bool:
    """Tell whether an admission policy can refuse an operation on a kind of object in a namespace.

    Raises:
        NotYetKnownError: No known policy decides, and a policy is not known yet.
    """

    def refuses(binding: Resource) -> bool:
        name = binding.read_text("spec", "policyName")
        return _denies_in(binding, stack, namespace) and any(
            _matches(policy, group, resource, operation)
            for policy in stack.select("ValidatingAdmissionPolicy")
            if read_name(policy) == name
        )

    return bool(find_wrong(stack.select("ValidatingAdmissionPolicyBinding"), refuses))


def _denies_in(binding: Resource, stack: Stack, namespace: str) -> bool:
    actions = read_texts(binding.get("spec", "validationActions"), "spec.validationActions")
    return "Deny" in actions and _selects(binding.read_block("spec", "matchResources"), stack, namespace)


def _selects(match: Mapping[str, Any], stack: Stack, namespace: str) -> bool:
    """Tell whether a match holds in a namespace. Whoever writes an object writes its labels, so they guard nothing."""
    if any(match.get(field) for field in ("objectSelector", "resourceRules", "excludeResourceRules")):
        return False
    selector = read_mapping(match.get("namespaceSelector"), "namespaceSelector")
    return not selector or (bool(namespace) and selects(selector, _find_labels(stack, namespace)))


def _find_labels(stack: Stack, namespace: str) -> Mapping[str, str]:
    """Return the labels of a namespace; Kubernetes itself writes its name into one of them."""
    made = next((found for found in stack.select("Namespace") if read_name(found) == namespace), None)
    labels = made.read_block("metadata", "labels") if made else {}
    return {**{key: read_text(value, key) for key, value in labels.items()}, "kubernetes.io/metadata.name": namespace}


def _matches(policy: Resource, group: str, resource: str, operation: str) -> bool:
    constraints = policy.read_block("spec", "matchConstraints")
    fails_open = policy.read_text("spec", "failurePolicy") == "Ignore"
    selective = any(constraints.get(field) for field in ("objectSelector", "namespaceSelector", "excludeResourceRules"))
    if fails_open or selective or all(_is_empty(rule) for rule in policy.list_blocks("spec", "validations")):
        return False
    wanted = {"apiGroups": group, "resources": resource, "operations": operation}
    return any(
        all(matches_any([value], read_texts(rule.get(field), field)) for field, value in wanted.items())
        and not rule.get("resourceNames")
        for rule in map(_read_rule, policy.list_blocks("spec", "matchConstraints", "resourceRules"))
    )


def _is_empty(validation: Mapping[str, Any]) -> bool:
    return read_text(validation.get("expression"), "expression").strip() == "true"


def _read_rule(rule: Any) -> Mapping[str, Any]:
    return read_mapping(rule, "resourceRules")
