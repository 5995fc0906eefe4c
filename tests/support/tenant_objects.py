"""Objects that tenants send to the API server of the tests about tenants."""

from collections.abc import Mapping, Sequence
from typing import Any

from lab.scene import Manifest

RBAC = "rbac.authorization.k8s.io/v1"
CONTAINER: Mapping[str, Any] = {"name": "main", "image": "busybox"}


def build(kind: str, name: str, namespace: str = "serving", api_version: str = "v1", **rest: Any) -> Manifest:
    """An object with a name and fields beside its metadata, such as ``spec``."""
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": name, "namespace": namespace}, **rest}


def build_service(notes: Mapping[str, str] | None = None, **spec: Any) -> Manifest:
    """A Service with one port."""
    made = build("Service", "web", spec={"selector": {"app": "web"}, "ports": [{"port": 80}], **spec})
    made["metadata"]["annotations"] = dict(notes or {})
    return made


def build_claim(**spec: Any) -> Manifest:
    """A claim of a volume of 1 GiB."""
    size = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    return build("PersistentVolumeClaim", "data", spec={**size, **spec})


def build_binding(name: str, subjects: Sequence[Mapping[str, Any]], **rest: Any) -> Manifest:
    """A RoleBinding to the ClusterRole ``view``."""
    role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "view"}
    return build("RoleBinding", name, api_version=RBAC, roleRef=role, subjects=list(subjects), **rest)


def build_template(**spec: Any) -> dict[str, Any]:
    """A template of pods."""
    return {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [dict(CONTAINER)], **spec}}


def build_crd(kind: str, group: str, version: str) -> Manifest:
    """A custom resource definition that takes any fields."""
    plural = f"{kind.lower()}s"
    schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {
            "group": group,
            "names": {"kind": kind, "plural": plural, "singular": kind.lower(), "listKind": f"{kind}List"},
            "scope": "Namespaced",
            "versions": [{"name": version, "served": True, "storage": True, "schema": schema}],
        },
    }


def grant_everything(lab: Any, namespace: str, group: str) -> None:
    """Give a group nearly all rights in a namespace, as a foreign role may; it may not change quotas."""
    everything = [
        {"apiGroups": ["*"], "resources": ["*"], "verbs": ["get", "list", "create", "delete", "deletecollection"]},
        {
            "apiGroups": ["", "apps", "batch", "networking.k8s.io", "rbac.authorization.k8s.io", "discovery.k8s.io"],
            "resources": [
                *("limitranges", "serviceaccounts", "services", "roles", "rolebindings", "networkpolicies"),
                *("persistentvolumeclaims", "endpoints", "endpointslices", "ingresses"),
            ],
            "verbs": ["update", "patch"],
        },
        {"apiGroups": ["rbac.authorization.k8s.io"], "resources": ["*"], "verbs": ["bind", "escalate"]},
    ]
    role = {"apiVersion": RBAC, "kind": "ClusterRole", "metadata": {"name": "foreign"}, "rules": everything}
    lab.kube.apply(role)
    subject = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": group}
    binding = build_binding("foreign", [subject])
    binding["metadata"]["namespace"] = namespace
    lab.kube.apply({**binding, "roleRef": {**binding["roleRef"], "name": "foreign"}})
