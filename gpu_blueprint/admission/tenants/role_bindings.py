"""The rule about RoleBindings: a tenant grants rights only to its own people and programs."""

from ...cel.groups import name_member_group, name_viewer_group
from ...cel.literals import write_literal
from ...cel.policy import AdmissionPolicy, AdmissionRule, Match
from ...cel.users import IS_PLATFORM
from ...config import StackConfig


def build_role_binding_policy(config: StackConfig) -> AdmissionPolicy:
    """Build the policy that judges each RoleBinding in a tenant's namespace on create and update."""
    groups = {
        tenant.namespace_name: [
            name_member_group(tenant),
            name_viewer_group(tenant),
            f"system:serviceaccounts:{tenant.namespace_name}",
        ]
        for tenant in config.tenants
    }
    account = "(s.kind == 'ServiceAccount' && s.?namespace.orValue('') == request.namespace)"
    group = f"(s.kind == 'Group' && s.name in {write_literal(groups)}[?request.namespace].orValue([]))"
    same = "(request.operation == 'UPDATE' && object.?subjects == oldObject.?subjects)"
    return AdmissionPolicy(
        name="gpu-blueprint-role-bindings",
        matches=(Match(group="rbac.authorization.k8s.io", resources=("rolebindings",)),),
        rules=(
            AdmissionRule(
                id="binding-subjects",
                keeps="A tenant cannot hand rights in its namespace to people and programs outside.",
                expression=f"object.?subjects.orValue([]).all(s, {account} || {group}) || {same} || {IS_PLATFORM}",
                message="only ServiceAccounts of this namespace and the groups of this tenant may be bound: the "
                "platform team adds people in the stack file (members, viewers)",
            ),
        ),
        always_denies=True,
    )
