"""The rules about objects that the platform puts into the namespaces of tenants: only the platform changes them."""

from ..config import StackConfig
from .admission import AdmissionPolicy, AdmissionRule, Match
from .cel import write_literal
from .users import IS_CONTROLLER, IS_PLATFORM

PREFIX = "gpu-blueprint"
"""The beginning of names that belong to the platform."""
_ALL = ("CREATE", "UPDATE", "DELETE")
_OWNED_KINDS = ("resourcequotas", "limitranges", "networkpolicies")
"""Kinds of which every object in a tenant's namespace is the platform's."""


def build_platform_object_policy(config: StackConfig) -> AdmissionPolicy:
    """Build the policy that guards quotas, limits, network policies, role bindings and service accounts.

    A request that deletes a collection names no object, so the name is read from the object itself.
    """
    accounts = {
        tenant.namespace_name: [identity.service_account for identity in tenant.identities]
        for tenant in config.tenants
        if tenant.identities
    }
    return AdmissionPolicy(
        name="gpu-blueprint-platform-objects",
        matches=(
            Match(group="", resources=("resourcequotas", "limitranges", "serviceaccounts"), operations=_ALL),
            Match(group="rbac.authorization.k8s.io", resources=("roles", "rolebindings"), operations=_ALL),
            Match(group="networking.k8s.io", resources=("networkpolicies",), operations=_ALL),
        ),
        conditions={"not-the-platform": f"!{IS_CONTROLLER} && !{IS_PLATFORM}"},
        variables={
            "metadata": "(request.operation == 'DELETE' ? oldObject : object).metadata",
            "name": "variables.metadata.?name.orValue(variables.metadata.?generateName.orValue(''))",
            "kind": "request.resource.resource",
        },
        rules=(
            AdmissionRule(
                id="platform-objects",
                keeps="A tenant cannot change or delete its quotas, limits, network policies and role bindings.",
                expression=f"!(variables.kind in {write_literal(list(_OWNED_KINDS))})"
                f" && !variables.name.startsWith('{PREFIX}')"
                " && !(variables.name == 'tenant' && variables.kind == 'rolebindings')",
                message="'this object is the platform team\\'s: ' + (variables.name.startsWith('gpu-blueprint') ? "
                "'choose a name that does not begin with gpu-blueprint' : 'ask for the change in the stack file')",
                is_message_cel=True,
            ),
            AdmissionRule(
                id="identity-accounts",
                keeps="A tenant cannot change, delete or replace the service accounts of `identities`; its pods use "
                "them.",
                expression="variables.kind != 'serviceaccounts' || "
                f"!(variables.name in {write_literal(accounts)}[?request.namespace].orValue([]))",
                message="this service account has an identity in AWS and is the platform team's: set "
                "serviceAccountName in pods, and ask for changes in the stack file (identities)",
            ),
        ),
        always_denies=True,
    )
