"""The ClusterRoles of tenants' members and viewers, in place of Kubernetes's ``edit``, and of the operators.

``edit`` also creates DaemonSets and tokens of service accounts, impersonates service accounts, and changes
NetworkPolicies. A member may write Roles and RoleBindings, as charts do: without ``bind`` and ``escalate`` the API
server refuses any Role with more rights than the member has. A rule with ``*`` counts as more rights, even for a
single kind.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from ...cel.groups import CLUSTER_VIEWERS, name_member_group, name_viewer_group
from ...config import StackConfig
from ...records import Record, replace
from .guarantees import Guarantee
from .identities import list_grants

RBAC_GROUP = "rbac.authorization.k8s.io"
_READ = ("get", "list", "watch")
_WRITE = (*_READ, "create", "update", "patch", "delete")
_WRITE_ALL = (*_WRITE, "deletecollection")

_RAY = ("rayclusters", "rayjobs", "rayservices", "raycronjobs")
_READABLE_KINDS: Mapping[str, tuple[str, ...]] = {
    "": (
        *("pods", "pods/log", "pods/status", "services", "services/status", "configmaps", "serviceaccounts"),
        *("persistentvolumeclaims", "persistentvolumeclaims/status", "endpoints", "events", "replicationcontrollers"),
        *("resourcequotas", "limitranges", "namespaces"),
    ),
    "apps": (
        *("deployments", "deployments/status", "deployments/scale", "statefulsets", "statefulsets/status"),
        *("statefulsets/scale", "replicasets", "replicasets/status", "replicasets/scale", "controllerrevisions"),
        "daemonsets",
    ),
    "batch": ("jobs", "jobs/status", "cronjobs", "cronjobs/status"),
    "autoscaling": ("horizontalpodautoscalers", "horizontalpodautoscalers/status"),
    "policy": ("poddisruptionbudgets", "poddisruptionbudgets/status"),
    "networking.k8s.io": ("networkpolicies", "ingresses"),
    "discovery.k8s.io": ("endpointslices",),
    "coordination.k8s.io": ("leases",),
    "events.k8s.io": ("events",),
    RBAC_GROUP: ("roles", "rolebindings"),
    "metrics.k8s.io": ("pods",),
    "monitoring.coreos.com": ("podmonitors", "servicemonitors"),
    "keda.sh": ("scaledobjects", "scaledjobs"),
    "kueue.x-k8s.io": ("localqueues", "workloads"),
    "ray.io": (*_RAY, *(f"{kind}/status" for kind in _RAY)),
    "jobset.x-k8s.io": ("jobsets", "jobsets/status"),
    "trainer.kubeflow.org": ("trainjobs", "trainjobs/status", "trainingruntimes"),
}
"""API group → kinds that members and viewers read in the tenant's namespace, without Secrets."""
_WRITABLE_KINDS: Mapping[str, tuple[str, ...]] = {
    "": ("pods", "services", "configmaps", "secrets", "persistentvolumeclaims", "serviceaccounts", "events"),
    "apps": (
        *("deployments", "deployments/scale", "statefulsets", "statefulsets/scale"),
        *("replicasets", "replicasets/scale", "controllerrevisions"),
    ),
    "batch": ("jobs", "cronjobs"),
    "autoscaling": ("horizontalpodautoscalers",),
    "policy": ("poddisruptionbudgets",),
    "coordination.k8s.io": ("leases",),
    "events.k8s.io": ("events",),
    # A controller in the namespace, such as Ray's operator, also writes the status of its objects.
    "ray.io": (*_RAY, *(f"{kind}/{part}" for kind in _RAY for part in ("status", "finalizers"))),
    "jobset.x-k8s.io": ("jobsets",),
    "trainer.kubeflow.org": ("trainjobs",),
}
"""API group → kinds that members write, and may let the service accounts of their charts write.

Excluded are DaemonSets, which run on every node; Ingresses and NetworkPolicies; KEDA's scalers, whose operator fetches
any address; ResourceClaims; tokens; and the proxy subresources and `pods/resize`, which bypass admission policies.
"""
_MEMBER_ACTIONS = (
    ("", ("pods/exec", "pods/attach", "pods/portforward"), ("get", "create")),
    ("", ("pods/eviction",), ("create",)),
    # A chart changes its bindings at each upgrade, and an admission policy guards the platform's bindings. Without
    # deletecollection, because a call for all bindings would fail at the platform's.
    (RBAC_GROUP, ("roles", "rolebindings"), _WRITE),
)
_CLUSTER_FACTS: Mapping[str, tuple[str, ...]] = {
    "": ("nodes",),
    "karpenter.sh": ("nodepools", "nodeclaims", "nodeoverlays"),
    "scheduling.k8s.io": ("priorityclasses",),
    "storage.k8s.io": ("storageclasses",),
    "node.k8s.io": ("runtimeclasses",),
    "kueue.x-k8s.io": ("clusterqueues", "resourceflavors"),
}
"""API group → cluster-scoped kinds that show why a pod waits, and contain no secrets."""


class ClusterRole(Record, kw_only=True, eq=False):
    """A ClusterRole of the platform for people of tenants."""

    name: str
    rules: tuple[Mapping[str, Any], ...]
    """Rules with Pulumi's names of the fields."""


def _list_rules(kinds: Mapping[str, tuple[str, ...]], verbs: tuple[str, ...]) -> Iterator[Mapping[str, Any]]:
    yield from (_build_rule(group, resources, verbs) for group, resources in kinds.items())


def _build_rule(group: str, resources: tuple[str, ...], verbs: tuple[str, ...]) -> Mapping[str, Any]:
    return {"api_groups": [group], "resources": [*resources], "verbs": [*verbs]}


MEMBER = ClusterRole(
    name="gpu-blueprint-member",
    rules=(
        *_list_rules(_READABLE_KINDS, _READ),
        *_list_rules(_WRITABLE_KINDS, _WRITE_ALL),
        *(_build_rule(*action) for action in _MEMBER_ACTIONS),
    ),
)
"""Work in a namespace, without rights over other tenants or over the platform."""
VIEWER = ClusterRole(name="gpu-blueprint-viewer", rules=tuple(_list_rules(_READABLE_KINDS, _READ)))
"""Read a namespace, without Secrets and without access to containers."""
FACTS = ClusterRole(name="gpu-blueprint-facts", rules=tuple(_list_rules(_CLUSTER_FACTS, _READ)))
"""Read nodes, pools and classes of the cluster."""
CLUSTER_ROLES = (MEMBER, VIEWER, FACTS)
OPERATOR = ClusterRole(
    name="gpu-blueprint-operator",
    rules=(
        _build_rule("", ("nodes",), ("patch",)),
        _build_rule("", ("pods/eviction",), ("create",)),
        _build_rule("", ("pods",), ("delete",)),
        _build_rule("karpenter.sh", ("nodeclaims",), ("delete",)),
    ),
)
"""Cordon and drain nodes, delete pods of a hanging node, and replace nodes; operators also have the viewers' rights."""


_READABLE_QUEUES = {"visibility.kueue.x-k8s.io": ("localqueues", "localqueues/pendingworkloads")}
"""Position of each waiting job in the team's own queue, served by Kueue's visibility API."""
_QUEUE_FACTS = {"kueue.x-k8s.io": ("cohorts", "workloadpriorityclasses")}


def list_cluster_roles(config: StackConfig) -> list[ClusterRole]:
    """Return the ClusterRoles of a stack; with queues they also read the objects that show why a job waits."""
    operators = [OPERATOR] if config.cluster.operators else []
    if not config.queueing:
        return [*CLUSTER_ROLES, *operators]
    more = {MEMBER: _READABLE_QUEUES, VIEWER: _READABLE_QUEUES, FACTS: _QUEUE_FACTS}
    roles = [replace(role, rules=(*role.rules, *_list_rules(more[role], _READ))) for role in CLUSTER_ROLES]
    return [*roles, *operators]


def list_groups(config: StackConfig) -> list[str]:
    """Return the groups that read cluster-scoped facts: of tenants, and of the platform."""
    of_tenants = [name(tenant) for tenant in config.tenants for name in (name_member_group, name_viewer_group)]
    has_viewers = bool(config.cluster.viewers or config.cluster.operators)
    return [*of_tenants, *([CLUSTER_VIEWERS] if has_viewers else [])]


def list_guarantees(config: StackConfig) -> Iterator[Guarantee]:
    """Yield the guarantees of RBAC and Pod Identity for docs/isolation.md."""
    kept = {
        MEMBER: "Members work in their namespace alone. They hold no tokens of service accounts, DaemonSets, "
        "Ingresses, NetworkPolicies, proxies or scalers, and hand on no right that they do not hold.",
        VIEWER: "Viewers read the namespace, and see no Secrets and no way into containers (`viewers`).",
        FACTS: "Everybody of a tenant reads nodes, pools and classes, to see why a pod waits, and changes none.",
    }
    yield from (Guarantee(by="rights", name=f"ClusterRole {role.name}", keeps=text) for role, text in kept.items())
    if list_grants(config):
        yield Guarantee(
            by="rights",
            name="EKS Pod Identity",
            keeps="A role in AWS serves one service account of one namespace (`identities`).",
        )
