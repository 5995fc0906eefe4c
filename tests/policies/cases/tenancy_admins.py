"""Cases of the rule about the rights of tenants."""

from typing import Any

from policies import UNKNOWN

from .stacks import (
    Build,
    cases_of,
    fails,
    passes,
    program,
    resource,
    shipped_stack,
    undecided,
    with_value,
)

_BINDING = "tenant-serving-members"


def _bound(path: tuple[str | int, ...], value: Any, stack: str | Build = "prod") -> Build:
    return with_value(stack, "RoleBinding", _BINDING, path, value)


def _binding(kind: str, **props: Any) -> Build:
    return program(resource(f"kubernetes:rbac.authorization.k8s.io/v1:{kind}", "binding", props))


def _bindings(role: str, *groups: str) -> Build:
    return _binding(
        "RoleBinding",
        roleRef={"kind": "ClusterRole", "name": role},
        subjects=[{"kind": "Group", "name": name} for name in groups],
    )


def _role(groups: list[str], resources: list[str], verbs: list[str]) -> Build:
    rule = {"apiGroups": groups, "resources": resources, "verbs": verbs}
    return program(resource("kubernetes:rbac.authorization.k8s.io/v1:Role", "role", {"rules": [rule]}))


def _entry(policy: str, scope: Any) -> Build:
    inputs = {"policyArn": f"arn:aws:eks::aws:cluster-access-policy/{policy}", "accessScope": {"type": scope}}
    return program(resource("aws:eks/accessPolicyAssociation:AccessPolicyAssociation", "entry", inputs))


CASES = cases_of(
    "tenants-not-admin",
    passes("tenants with the role edit", shipped_stack("prod")),
    passes(
        "a binding without subjects", _binding("ClusterRoleBinding", roleRef={"kind": "ClusterRole", "name": "view"})
    ),
    fails("tenants with the role admin", _bound(("roleRef", "name"), "admin"), _BINDING, words="the role admin"),
    fails("tenants with the role cluster-admin", _bound(("roleRef", "name"), "cluster-admin"), _BINDING),
    fails(
        "a binding of another program",
        _binding("ClusterRoleBinding", roleRef={"name": "cluster-admin"}, subjects=[{"name": "a"}, {"name": "b"}]),
        "binding",
        words="cluster-admin",
    ),
    fails(
        "every authenticated user may view",
        _bindings("view", "system:authenticated"),
        "binding",
        words="system:authenticated, which includes everyone",
    ),
    fails("every unauthenticated user may view", _bindings("view", "team", "system:unauthenticated"), "binding"),
    fails("every pod of the cluster may edit", _bindings("edit", "system:serviceaccounts"), "binding"),
    passes("a group of the tenant may view", _bindings("view", "team")),
    fails(
        "one subject not known, another includes everyone",
        program(
            resource(
                "kubernetes:rbac.authorization.k8s.io/v1:RoleBinding",
                "binding",
                {"roleRef": {"name": "view"}, "subjects": [{"name": UNKNOWN}, {"name": "system:anonymous"}]},
            )
        ),
        "binding",
    ),
    undecided(
        "the only subject not known",
        program(
            resource(
                "kubernetes:rbac.authorization.k8s.io/v1:RoleBinding",
                "binding",
                {"roleRef": {"name": "view"}, "subjects": [UNKNOWN]},
            )
        ),
        "binding",
    ),
    fails("a role that may do everything", _role(["*"], ["*"], ["*"]), "role", words="change quotas"),
    fails("a role that may change quotas", _role([""], ["pods", "resourcequotas"], ["get", "patch"]), "role"),
    fails("a role that may delete everything in the core group", _role(["", "apps"], ["*"], ["delete"]), "role"),
    fails("a role that may update quotas of every group", _role(["*"], ["resourcequotas"], ["update"]), "role"),
    passes("a role that may see quotas", _role([""], ["resourcequotas"], ["get", "list", "watch"])),
    passes("a role for everything in another API group", _role(["batch"], ["*"], ["*"])),
    passes("a role for every verb on pods", _role([""], ["pods"], ["*"])),
    passes("an IAM role", program(resource("aws:iam/role:Role", "role", {"rules": UNKNOWN}))),
    undecided(
        "rules not known",
        program(resource("kubernetes:rbac.authorization.k8s.io/v1:Role", "role", {"rules": UNKNOWN})),
        "role",
    ),
    fails(
        "admin of a namespace through an access entry",
        _entry("AmazonEKSAdminPolicy", "namespace"),
        "entry",
        words="AmazonEKSAdminPolicy in namespaces",
    ),
    fails("the cluster admin policy in a namespace", _entry("AmazonEKSClusterAdminPolicy", "namespace"), "entry"),
    passes("the edit policy in a namespace", _entry("AmazonEKSEditPolicy", "namespace")),
    passes("admins of the whole cluster, who are not tenants", _entry("AmazonEKSClusterAdminPolicy", "cluster")),
    undecided("the scope not known", _entry("AmazonEKSAdminPolicy", UNKNOWN), "entry"),
    passes(
        "a namespaced role that is called admin",
        _binding("RoleBinding", roleRef={"kind": "Role", "name": "admin"}, subjects=[{"name": "a"}]),
    ),
    undecided("the role not known", _bound(("roleRef",), UNKNOWN), _BINDING),
    fails(
        "an admin role known, the subjects not known",
        _bound(("subjects",), UNKNOWN, _bound(("roleRef", "name"), "cluster-admin")),
        _BINDING,
    ),
)
