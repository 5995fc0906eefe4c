"""Cases of the rules about namespaces, quotas and who may use them."""

from typing import Any

from policies import UNKNOWN, Resource

from .policy_cases_stacks import (
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
    passes("namespaces of the system", foreign(*(_namespace(name, name) for name in ("default", "monitoring", "kube-system", "kube-node-lease")))),
    passes("the namespace of a program of others", foreign(_namespace("team"), _quota({}))),
    passes("a namespace called after its resource", foreign(_namespace(None, "team"), _quota({}))),
    fails("a quota gone", without("prod", "ResourceQuota", _QUOTA), "tenant-serving-namespace", words="namespace serving has"),
    fails("a quota for another namespace", _serving(("metadata", "namespace"), "other"), "tenant-serving-namespace"),
    fails("a quota without namespace", foreign(_namespace("team"), _quota({}, None)), "space"),
    fails("a namespace that only sounds like the system's", foreign(_namespace("kubeflow")), "space"),
    passes("its own quota, beside one for a namespace not known", foreign(_namespace("team"), _quota({}), _quota({}, UNKNOWN, name="other")),
           awaits="one unknown namespace leaves all others undecided, although what is known suffices"),
    undecided("a namespace's name not known", foreign(_namespace(UNKNOWN), _quota({}))),
    undecided("a quota's namespace not known", foreign(_namespace("team"), _quota({}, UNKNOWN))),
    fails("one name not known, another namespace bare", foreign(_namespace(UNKNOWN), _namespace("team", "bare"), _quota({}, "other")), "bare", unclear="space"),
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
          "tenant-serving-quota", "tenant-training-quota", words="mig-1g.24gb"),
    fails("what only a pool's limits name", broken("prod", "NodePool", "infer-l40s", ("spec", "limits", "nvidia.com/mig-1g.24gb"), "1"),
          "tenant-serving-quota", "tenant-training-quota"),
    fails("whole GPUs, which any pool may bring", foreign(_POOL, _quota({"pods": "10"})), "quota", words="quota of team"),
    fails("two quotas that both lack it, said once", foreign(_POOL, _quota({"pods": "1"}), _quota({"pods": "2"}, name="second")), "quota"),
    fails("no hard limits", foreign(_POOL, _quota(None)), "quota"),
    passes("CPU pools alone", foreign(node_pool(requirement("node.kubernetes.io/instance-type", "m7i.xlarge")), _quota({"pods": "10"}))),
    passes("two quotas, one of them for GPUs", foreign(_POOL, _quota({_GPU: "0"}), _quota({"count/jobs.batch": "9"}, name="objects"))),
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


ADMIN = of(
    "tenants-not-admin",
    passes("tenants edit", shipped("prod")),
    passes("a binding without subjects", _binding("ClusterRoleBinding", roleRef={"kind": "ClusterRole", "name": "view"})),
    fails("tenants rule", _bound(("roleRef", "name"), "admin"), _BINDING, words="the role admin"),
    fails("tenants rule everything", _bound(("roleRef", "name"), "cluster-admin"), _BINDING),
    fails("a binding of others", _binding("ClusterRoleBinding", roleRef={"name": "cluster-admin"}, subjects=[{"name": "a"}, {"name": "b"}]),
          "binding", words="cluster-admin"),
    passes("a role of their own that is called admin", _binding("RoleBinding", roleRef={"kind": "Role", "name": "admin"}, subjects=[{"name": "a"}])),
    undecided("the role not known", _bound(("roleRef",), UNKNOWN), _BINDING),
    fails("the role known and too much, the subjects not", _bound(("subjects",), UNKNOWN, _bound(("roleRef", "name"), "cluster-admin")), _BINDING),
)  # fmt: skip

CASES = (*BOUNDED, *LISTED, *REQUESTS, *RANGE, *ADMIN)
