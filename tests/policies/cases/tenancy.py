"""Cases of the rules about namespaces, quotas and who may use them."""

from typing import Any

from policies import UNKNOWN, Resource

from .stacks import (
    GONE,
    Build,
    broken,
    fails,
    foreign,
    node_pool,
    of,
    passes,
    requirement,
    resource,
    shipped,
    undecided,
    without,
)

_QUOTA, _HARD = "tenant-serving-quota", ("spec", "hard")
_EVERY_QUOTA = ("gpu-prod-headroom-quota", "tenant-serving-quota", "tenant-training-quota")
_PODS = {"pods": "10"}
_GPU, _SHARED = "requests.nvidia.com/gpu", "requests.nvidia.com/gpu.shared"
_POOL = node_pool(requirement("node.kubernetes.io/instance-type", "g6.xlarge"))


def _namespace(name: Any, resource_name: str = "space") -> Resource:
    return resource(
        "kubernetes:core/v1:Namespace", resource_name, {"metadata": {"name": name}} if name is not None else {}
    )


def _quota(hard: Any, namespace: Any = "team", name: str = "quota", **spec: Any) -> Resource:
    props = {"metadata": {"namespace": namespace}, "spec": {"hard": hard, **spec}}
    return resource("kubernetes:core/v1:ResourceQuota", name, props)


def _serving(path: tuple[str | int, ...], value: Any, stack: str | Build = "prod") -> Build:
    return broken(stack, "ResourceQuota", _QUOTA, path, value)


BOUNDED = of(
    "namespace-has-quota",
    passes("each tenant has one", shipped("prod")),
    passes("namespaces of the system", foreign(*(_namespace(name, name) for name in ("gpu-operator", "monitoring", "keda", "kube-system", "kube-node-lease")))),
    passes("one that the environment exempts", foreign(_namespace("kubeflow")), exempt=["kubeflow"]),
    passes("the namespace of a program of others", foreign(_namespace("team"), _quota(_PODS))),
    passes("a namespace called after its resource", foreign(_namespace(None, "team"), _quota(_PODS))),
    passes("an empty quota beside one that bounds", foreign(_namespace("team"), _quota({}, name="empty"), _quota(_PODS))),
    fails("an empty quota", foreign(_namespace("team"), _quota({})), "space", words="bounds anything"),
    fails("the default namespace, where everybody lands", foreign(_namespace("default")), "space"),
    fails("a quota gone", without("prod", "ResourceQuota", _QUOTA), "tenant-serving-namespace", words="namespace serving has"),
    fails("a quota for another namespace", _serving(("metadata", "namespace"), "other"), "tenant-serving-namespace"),
    fails("a quota without namespace", foreign(_namespace("team"), _quota(_PODS, None)), "space"),
    fails("a namespace that only sounds like the system's", foreign(_namespace("kubeflow")), "space"),
    passes("its own quota, beside one for a namespace not known", foreign(_namespace("team"), _quota(_PODS), _quota(_PODS, UNKNOWN, name="other"))),
    undecided("whether its quota bounds anything not known", foreign(_namespace("team"), _quota(UNKNOWN))),
    undecided("a namespace's name not known", foreign(_namespace(UNKNOWN), _quota(_PODS))),
    undecided("a quota's namespace not known", foreign(_namespace("team"), _quota(_PODS, UNKNOWN))),
    fails("one name not known, another namespace bare", foreign(_namespace(UNKNOWN), _namespace("team", "bare"), _quota(_PODS, "other")), "bare", unclear="space"),
)  # fmt: skip

LISTED = of(
    "quota-lists-every-gpu",
    passes("every GPU resource listed", shipped("prod")),
    passes("every slice listed", shipped("research")),
    passes("a quota where there are no pools", foreign(_quota({"pods": "10"}))),
    passes("GPUs as numbers", foreign(_POOL, _quota({_GPU: 0}))),
    passes("a grant of unknown size", foreign(_POOL, _quota({_GPU: UNKNOWN}))),
    fails("whole GPUs left out", _serving((*_HARD, _GPU), GONE), _QUOTA, words=("quota of serving", "name nvidia.com/gpu,")),
    fails("shared GPUs left out", _serving((*_HARD, _SHARED), GONE), _QUOTA, words="name nvidia.com/gpu.shared,"),
    fails("what only an overlay names", broken("prod", "NodeOverlay", "overlay-8", ("spec", "capacity", "nvidia.com/mig-1g.24gb"), "1"),
          *_EVERY_QUOTA, words="mig-1g.24gb"),
    fails("what only a pool's limits name", broken("prod", "NodePool", "infer-l40s", ("spec", "limits", "nvidia.com/mig-1g.24gb"), "1"),
          *_EVERY_QUOTA),
    fails("whole GPUs, which any pool may bring", foreign(_POOL, _quota({"pods": "10"})), "quota", words="quota of team"),
    fails("two quotas that both lack it, said once", foreign(_POOL, _quota({"pods": "1"}), _quota({"pods": "2"}, name="second")), "quota"),
    fails("no hard limits", foreign(_POOL, _quota(None)), "quota"),
    passes("CPU pools alone", foreign(node_pool(requirement("node.kubernetes.io/instance-type", "m7i.xlarge")), _quota({"pods": "10"}))),
    passes("two quotas, one of them for GPUs", foreign(_POOL, _quota({_GPU: "0"}), _quota({"count/jobs.batch": "9"}, name="objects"))),
    undecided("whether another quota of the namespace names it is not known",
              foreign(_POOL, _quota({"pods": "1"}), _quota({_GPU: "0"}, UNKNOWN, name="other")), "quota", "other"),
    undecided("a quota for a namespace not known, beside one that names all", foreign(_POOL, _quota({_GPU: "0"}), _quota({_GPU: "0"}, UNKNOWN, name="other")), "other"),
    undecided("hard limits not known", _serving(_HARD, UNKNOWN)),
    undecided("a pool's limits not known", broken("prod", "NodePool", "infer-l40s", ("spec", "limits"), UNKNOWN)),
    undecided("an overlay's capacity not known", broken("prod", "NodeOverlay", "overlay-8", ("spec", "capacity"), UNKNOWN)),
    fails("one quota not known, another wrong", broken(_serving(_HARD, UNKNOWN), "ResourceQuota", "tenant-training", (*_HARD, _GPU), GONE),
          "tenant-training-quota", unclear=_QUOTA),
)  # fmt: skip

REQUESTS = of(
    "quota-requests-only",
    passes("requests alone", shipped("prod")),
    passes("limits of other things", foreign(_quota({"limits.cpu": "8", "count/pods": 4, "requests.nvidia.com/gpu": UNKNOWN}))),
    passes("no hard limits", foreign(_quota(None))),
    fails("limits of GPUs", _serving((*_HARD, "limits.nvidia.com/gpu"), "8"), _QUOTA, words="limits.nvidia.com/gpu"),
    fails("the resource alone", _serving((*_HARD, "nvidia.com/gpu"), "8"), _QUOTA, words="the key nvidia.com/gpu"),
    undecided("hard limits not known", _serving(_HARD, UNKNOWN), _QUOTA),
)  # fmt: skip

_RANGE = "tenant-serving-limits"


def _range(**item: Any) -> Build:
    return foreign(
        resource("kubernetes:core/v1:LimitRange", "range", {"spec": {"limits": [{"type": "Container", **item}]}})
    )


def _limits(path: tuple[str | int, ...], value: Any) -> Build:
    return broken("prod", "LimitRange", _RANGE, ("spec", "limits", *path), value)


RANGE = of(
    "no-gpu-in-limit-range",
    passes("CPUs and memory", shipped("prod")),
    passes("no limits", foreign(resource("kubernetes:core/v1:LimitRange", "range", {"spec": {}}))),
    passes("none by default", _range(default={"nvidia.com/gpu": "0"})),
    passes("none by default, as a number", _range(default={"nvidia.com/gpu": 0})),
    passes("an empty field", _range(default=None)),
    fails("a default", _limits((0, "default"), {"cpu": "1", "nvidia.com/gpu": "1"}), _RANGE, words="sets default of nvidia.com/gpu"),
    fails("a default request", _limits((0, "defaultRequest", "nvidia.com/gpu"), 1), _RANGE, words="defaultRequest"),
    fails("a maximum", _limits((0, "max", "nvidia.com/gpu.shared"), "8"), _RANGE, words="sets max"),
    fails("a minimum", _range(min={"nvidia.com/gpu": "1"}), "range"),
    fails("a second item", _limits((1,), {"type": "Pod", "max": {"nvidia.com/gpu": "1"}}), _RANGE),
    fails("a maximum of none, which is the default of none and more", _range(max={"nvidia.com/gpu": "0"}), "range"),
    undecided("limits not known", _limits((), UNKNOWN), _RANGE),
    undecided("one item not known", _limits((0,), UNKNOWN), _RANGE),
    undecided("a default not known", _range(default={"nvidia.com/gpu": UNKNOWN}), "range"),
)  # fmt: skip

_BINDING = "tenant-serving-members"


def _bound(path: tuple[str | int, ...], value: Any, stack: str | Build = "prod") -> Build:
    return broken(stack, "RoleBinding", _BINDING, path, value)


def _binding(kind: str, **props: Any) -> Build:
    return foreign(resource(f"kubernetes:rbac.authorization.k8s.io/v1:{kind}", "binding", props))


def _bindings(role: str, *groups: str) -> Build:
    return _binding(
        "RoleBinding",
        roleRef={"kind": "ClusterRole", "name": role},
        subjects=[{"kind": "Group", "name": name} for name in groups],
    )


def _role(groups: list[str], resources: list[str], verbs: list[str]) -> Build:
    rule = {"apiGroups": groups, "resources": resources, "verbs": verbs}
    return foreign(resource("kubernetes:rbac.authorization.k8s.io/v1:Role", "role", {"rules": [rule]}))


def _entry(policy: str, scope: Any) -> Build:
    inputs = {"policyArn": f"arn:aws:eks::aws:cluster-access-policy/{policy}", "accessScope": {"type": scope}}
    return foreign(resource("aws:eks/accessPolicyAssociation:AccessPolicyAssociation", "entry", inputs))


ADMIN = of(
    "tenants-not-admin",
    passes("tenants edit", shipped("prod")),
    passes("a binding without subjects", _binding("ClusterRoleBinding", roleRef={"kind": "ClusterRole", "name": "view"})),
    fails("tenants rule", _bound(("roleRef", "name"), "admin"), _BINDING, words="the role admin"),
    fails("tenants rule everything", _bound(("roleRef", "name"), "cluster-admin"), _BINDING),
    fails("a binding of others", _binding("ClusterRoleBinding", roleRef={"name": "cluster-admin"}, subjects=[{"name": "a"}, {"name": "b"}]),
          "binding", words="cluster-admin"),
    fails("everybody may see", _bindings("view", "system:authenticated"), "binding", words="system:authenticated, which is everybody"),
    fails("everybody, known or not", _bindings("view", "team", "system:unauthenticated"), "binding"),
    fails("every pod of the cluster", _bindings("edit", "system:serviceaccounts"), "binding"),
    passes("a group of theirs", _bindings("view", "team")),
    fails("one subject not known, another everybody", foreign(resource("kubernetes:rbac.authorization.k8s.io/v1:RoleBinding", "binding",
          {"roleRef": {"name": "view"}, "subjects": [{"name": UNKNOWN}, {"name": "system:anonymous"}]})), "binding"),
    undecided("the only subject not known", foreign(resource("kubernetes:rbac.authorization.k8s.io/v1:RoleBinding", "binding",
              {"roleRef": {"name": "view"}, "subjects": [UNKNOWN]})), "binding"),
    fails("a role that may do everything", _role(["*"], ["*"], ["*"]), "role", words="change quotas"),
    fails("a role that may change quotas", _role([""], ["pods", "resourcequotas"], ["get", "patch"]), "role"),
    fails("a role that may delete whatever is core", _role(["", "apps"], ["*"], ["delete"]), "role"),
    fails("a role that may update quotas of every group", _role(["*"], ["resourcequotas"], ["update"]), "role"),
    passes("a role that may see quotas", _role([""], ["resourcequotas"], ["get", "list", "watch"])),
    passes("a role for all of another group", _role(["batch"], ["*"], ["*"])),
    passes("a role for all of pods", _role([""], ["pods"], ["*"])),
    passes("a role of IAM", foreign(resource("aws:iam/role:Role", "role", {"rules": UNKNOWN}))),
    undecided("rules not known", foreign(resource("kubernetes:rbac.authorization.k8s.io/v1:Role", "role", {"rules": UNKNOWN})), "role"),
    fails("admin of a namespace by EKS", _entry("AmazonEKSAdminPolicy", "namespace"), "entry", words="AmazonEKSAdminPolicy in namespaces"),
    fails("admin of all by EKS, in a namespace", _entry("AmazonEKSClusterAdminPolicy", "namespace"), "entry"),
    passes("editors by EKS", _entry("AmazonEKSEditPolicy", "namespace")),
    passes("admins of the cluster, which are no tenants", _entry("AmazonEKSClusterAdminPolicy", "cluster")),
    undecided("the scope not known", _entry("AmazonEKSAdminPolicy", UNKNOWN), "entry"),
    passes("a role of their own that is called admin", _binding("RoleBinding", roleRef={"kind": "Role", "name": "admin"}, subjects=[{"name": "a"}])),
    undecided("the role not known", _bound(("roleRef",), UNKNOWN), _BINDING),
    fails("the role known and too much, the subjects not", _bound(("subjects",), UNKNOWN, _bound(("roleRef", "name"), "cluster-admin")), _BINDING),
)  # fmt: skip

CASES = (*BOUNDED, *LISTED, *REQUESTS, *RANGE, *ADMIN)
