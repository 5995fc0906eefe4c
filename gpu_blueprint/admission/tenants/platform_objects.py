"""The rules about objects that the platform puts into the namespaces of tenants: only the platform changes them."""

from collections.abc import Iterator

from ...cel.literals import write_literal
from ...cel.policy import AdmissionPolicy, AdmissionRule, Match, Operation
from ...cel.users import IS_CONTROLLER, IS_PLATFORM
from ...config import StackConfig
from ...subjects.storage.mounts import list_mounts

PREFIX = "gpu-blueprint"
"""The prefix of object names that only the platform may use."""
_WRITES: tuple[Operation, ...] = ("CREATE", "UPDATE", "DELETE")
_OWNED_KINDS = ("resourcequotas", "limitranges", "networkpolicies")
"""Kinds of which every object in a tenant's namespace belongs to the platform."""


def build_platform_object_policy(config: StackConfig) -> AdmissionPolicy:
    """Build the policy that guards quotas, limits, network policies, role bindings, service accounts and claims.

    A request that deletes a collection names no object, so the name is read from the object itself.
    """
    return AdmissionPolicy(
        name="gpu-blueprint-platform-objects",
        matches=(
            Match(group="", resources=("resourcequotas", "limitranges", "serviceaccounts"), operations=_WRITES),
            Match(group="rbac.authorization.k8s.io", resources=("roles", "rolebindings"), operations=_WRITES),
            Match(group="networking.k8s.io", resources=("networkpolicies",), operations=_WRITES),
            *_match_claims(config),
            *_match_maps(config),
        ),
        conditions={"not-the-platform": f"!{IS_CONTROLLER} && !{IS_PLATFORM}"},
        variables={
            "metadata": "(request.operation == 'DELETE' ? oldObject : object).metadata",
            "name": "variables.metadata.?name.orValue(variables.metadata.?generateName.orValue(''))",
            "kind": "request.resource.resource",
        },
        rules=tuple(_list_rules(config)),
        always_denies=True,
    )


def _match_claims(config: StackConfig) -> Iterator[Match]:
    if any(list_mounts(config)):
        yield Match(group="", resources=("persistentvolumeclaims",), operations=_WRITES)


def _match_maps(config: StackConfig) -> Iterator[Match]:
    """Yield the match for ConfigMaps in a stack with ``egress``.

    The platform then makes ConfigMaps with its proxy and CA certificates.
    """
    if config.egress:
        yield Match(group="", resources=("configmaps",), operations=_WRITES)


def _list_rules(config: StackConfig) -> Iterator[AdmissionRule]:
    accounts = {
        tenant.namespace_name: [identity.service_account for identity in tenant.identities]
        for tenant in config.tenants
        if tenant.identities
    }
    yield AdmissionRule(
        id="platform-objects",
        keeps="A tenant cannot change or delete its quotas, limits, network policies and role bindings.",
        expression=f"!(variables.kind in {write_literal(list(_OWNED_KINDS))})"
        f" && !variables.name.startsWith('{PREFIX}')",
        message="'this object is the platform team\\'s: ask for the change in the stack file' + "
        f"(request.operation == 'CREATE' && variables.name.startsWith('{PREFIX}') ? "
        f"', or choose a name that does not begin with {PREFIX}' : '')",
        is_message_cel=True,
    )
    yield AdmissionRule(
        id="identity-accounts",
        keeps="A tenant cannot change, delete or replace the service accounts of `identities`; its pods use them.",
        expression="variables.kind != 'serviceaccounts' || "
        f"!(variables.name in {write_literal(accounts)}[?request.namespace].orValue([]))",
        message="this service account has an identity in AWS and is the platform team's: set "
        "serviceAccountName in pods, and ask for changes in the stack file (identities)",
    )
    if claims := _group_claims(config):
        yield AdmissionRule(
            id="storage-claims",
            keeps="A tenant cannot change, delete or replace the claims of `storage`; its pods mount them.",
            expression="variables.kind != 'persistentvolumeclaims' || "
            f"!(variables.name in {write_literal(claims)}[?request.namespace].orValue([]))",
            message="this claim mounts storage of the platform team: name it in the volumes of pods, take another "
            "name for a claim of your own, and ask for changes in the stack file (storage)",
        )


def _group_claims(config: StackConfig) -> dict[str, list[str]]:
    """Return namespace → the names of the claims that the platform makes there, both sorted."""
    found: dict[str, list[str]] = {}
    for mount in list_mounts(config):
        found.setdefault(mount.tenant.namespace_name, []).append(mount.claim)
    return {namespace: sorted(found[namespace]) for namespace in sorted(found)}
