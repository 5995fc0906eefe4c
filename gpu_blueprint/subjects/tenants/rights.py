"""Rights of the people of tenants: three ClusterRoles, in place of Kubernetes's own role ``edit``.

``edit`` also makes DaemonSets and tokens of service accounts, acts as service accounts, and changes traffic rules.
A member may write Roles and RoleBindings, as charts do: without ``bind`` and ``escalate`` the API server refuses any
Role that holds more than the member. A rule with ``*`` is more, also where it names a single kind.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from ...cel.groups import CLUSTER_VIEWERS, name_member_group, name_viewer_group
from ...config import StackConfig
from ...records import Record, replace
from .holdings import Holding
from .identities import list_grants

RBAC_GROUP = "rbac.authorization.k8s.io"
_READ = ("get", "list", "watch")
_WRITE = (*_READ, "create", "update", "patch", "delete")
_WRITE_ALL = (*_WRITE, "deletecollection")

_RAY = ("rayclusters", "rayjobs", "rayservices", "raycronjobs")
_SEEN: Mapping[str, tuple[str, ...]] = {
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
"""API group → kinds that everybody of a tenant reads in its namespace. Secrets are not among them."""
_OWN: Mapping[str, tuple[str, ...]] = {
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
    # A controller in the namespace, such as an operator of Ray, also writes the state of what it runs.
    "ray.io": (*_RAY, *(f"{kind}/{part}" for kind in _RAY for part in ("status", "finalizers"))),
    "jobset.x-k8s.io": ("jobsets",),
    "trainer.kubeflow.org": ("trainjobs",),
}
"""API group → kinds that members write, and may hand on to the service accounts of their charts.

Not among them: DaemonSets, which take room on every node; Ingresses and NetworkPolicies; KEDA's scalers, whose operator
fetches any address; ResourceClaims; tokens; and the proxies and `pods/resize`, which pass by admission policies.
"""
_ACTS = (
    ("", ("pods/exec", "pods/attach", "pods/portforward"), ("get", "create")),
    ("", ("pods/eviction",), ("create",)),
    # A chart changes its bindings at each upgrade; the admission policy of platform objects guards the platform's. No
    # deletecollection: a call for all bindings would fail at the platform's.
    (RBAC_GROUP, ("roles", "rolebindings"), _WRITE),
)
_FACTS: Mapping[str, tuple[str, ...]] = {
    "": ("nodes",),
    "karpenter.sh": ("nodepools", "nodeclaims", "nodeoverlays"),
    "scheduling.k8s.io": ("priorityclasses",),
    "storage.k8s.io": ("storageclasses",),
    "node.k8s.io": ("runtimeclasses",),
    "kueue.x-k8s.io": ("clusterqueues", "resourceflavors"),
}
"""API group → kinds without a namespace that say why a pod waits, and hold no secrets."""


class ClusterRole(Record, kw_only=True, eq=False):
    """A ClusterRole of the platform for people of tenants."""

    name: str
    rules: tuple[Mapping[str, Any], ...]
    """Rules as Pulumi takes them."""


def _list_rules(kinds: Mapping[str, tuple[str, ...]], verbs: tuple[str, ...]) -> Iterator[Mapping[str, Any]]:
    yield from (_build_rule(group, resources, verbs) for group, resources in kinds.items())


def _build_rule(group: str, resources: tuple[str, ...], verbs: tuple[str, ...]) -> Mapping[str, Any]:
    return {"api_groups": [group], "resources": [*resources], "verbs": [*verbs]}


MEMBER = ClusterRole(
    name="gpu-blueprint-member",
    rules=(*_list_rules(_SEEN, _READ), *_list_rules(_OWN, _WRITE_ALL), *(_build_rule(*act) for act in _ACTS)),
)
"""Work in a namespace: everything that pods need, without rights over other tenants or over the platform."""
VIEWER = ClusterRole(name="gpu-blueprint-viewer", rules=tuple(_list_rules(_SEEN, _READ)))
"""Read a namespace, without secrets and without a way into containers."""
FACTS = ClusterRole(name="gpu-blueprint-facts", rules=tuple(_list_rules(_FACTS, _READ)))
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
"""Cordon and drain nodes, end pods whose node hangs, and replace nodes; viewers' rights read what these need."""


_SEEN_QUEUES = {"visibility.kueue.x-k8s.io": ("localqueues", "localqueues/pendingworkloads")}
"""The place of each waiting job in the team's own queue, which Kueue serves."""
_QUEUE_FACTS = {"kueue.x-k8s.io": ("cohorts", "workloadpriorityclasses")}


def list_cluster_roles(config: StackConfig) -> list[ClusterRole]:
    """Return the ClusterRoles of a stack; with queues they also read what says why a job waits."""
    operators = [OPERATOR] if config.cluster.operators else []
    if not config.queueing:
        return [*CLUSTER_ROLES, *operators]
    more = {MEMBER: _SEEN_QUEUES, VIEWER: _SEEN_QUEUES, FACTS: _QUEUE_FACTS}
    roles = [replace(role, rules=(*role.rules, *_list_rules(more[role], _READ))) for role in CLUSTER_ROLES]
    return [*roles, *operators]


def list_groups(config: StackConfig) -> list[str]:
    """Return the groups of all people who read facts of the cluster: of tenants, and of the platform."""
    of_tenants = [name(tenant) for tenant in config.tenants for name in (name_member_group, name_viewer_group)]
    has_viewers = bool(config.cluster.viewers or config.cluster.operators)
    return [*of_tenants, *([CLUSTER_VIEWERS] if has_viewers else [])]


def list_holdings(config: StackConfig) -> Iterator[Holding]:
    """Yield what the rights keep the people of tenants from."""
    kept = {
        MEMBER: "Members work in their namespace alone. They hold no tokens of service accounts, DaemonSets, "
        "Ingresses, NetworkPolicies, proxies or scalers, and hand on no right that they do not hold.",
        VIEWER: "Viewers read the namespace, and see no Secrets and no way into containers (`viewers`).",
        FACTS: "Everybody of a tenant reads nodes, pools and classes, to see why a pod waits, and changes none.",
    }
    yield from (Holding(by="rights", name=f"ClusterRole {role.name}", keeps=text) for role, text in kept.items())
    if list_grants(config):
        yield Holding(
            by="rights",
            name="EKS Pod Identity",
            keeps="A role in AWS serves one service account of one namespace (`identities`).",
        )
