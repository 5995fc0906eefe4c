"""A snapshot of the cluster, and what it says about a pod."""

from collections.abc import Mapping, Sequence
from typing import Any

from lab.kube import KubeClient
from lab.scene import Manifest

from ..records import Record, field

KARPENTER, SCHEDULER = "karpenter", "default-scheduler"
"""The engines that find nodes for pods, with the names that they use in events."""


class Snapshot(Record, kw_only=True):
    """Objects of the cluster at one moment."""

    taken: float = 0.0
    """Time of the snapshot on the monotonic clock, in seconds."""
    pods: Sequence[Manifest] = ()
    nodes: Mapping[str, Manifest] = field(default_factory=dict)
    """Name → node."""
    events: Sequence[Manifest] = ()
    """The events that say why a pod has no node; empty if every pod has a node."""

    def is_open(self, node: str) -> bool:
        """Return True if a node exists and is not being deleted."""
        found = self.nodes.get(node)
        return found is not None and "deletionTimestamp" not in found["metadata"]

    def find_pod(self, name: str, namespace: str) -> Manifest | None:
        """Return a pod that is not being deleted, or None."""
        wanted = name, namespace
        return next((pod for pod in self.pods if name_pod(pod) == wanted and not is_leaving(pod)), None)

    def find_reason(self, pod: Manifest, engine: str) -> str:
        """Return an engine's last reason why a pod has no node, or nothing."""
        found = [event for event in self.events if _is_about(event, pod) and engine in _name_engine(event)]
        return str(max(found, key=_find_time)["message"]) if found else ""


def take_snapshot(kube: KubeClient, now: float) -> Snapshot:
    """Read the cluster, pods before nodes, so that the node of every running pod is there."""
    pods = kube.list("v1", "Pod")
    nodes = {node["metadata"]["name"]: node for node in kube.list("v1", "Node")}
    are_waiting = any(not pod["spec"].get("nodeName") for pod in pods)
    events = kube.list("v1", "Event") if are_waiting else []
    return Snapshot(
        taken=now, pods=pods, nodes=nodes, events=[row for row in events if row["reason"] == "FailedScheduling"]
    )


def list_events(kube: KubeClient, name: str, namespace: str | None) -> list[str]:
    """Return the events of a pod, or of a node (namespace None), oldest first, such as ``Preempted: by pod …``."""
    events = [
        event
        for event in kube.list("v1", "Event")
        if event["involvedObject"].get("name") == name and event["involvedObject"].get("namespace") == namespace
    ]
    return [f"{event['reason']}: {event.get('message', '')}" for event in sorted(events, key=_find_time)]


def name_pod(pod: Manifest) -> tuple[str, str]:
    """Return the name and the namespace of a pod."""
    return pod["metadata"]["name"], pod["metadata"].get("namespace", "default")


def is_leaving(pod: Manifest) -> bool:
    """Return True if a pod is being deleted."""
    return "deletionTimestamp" in pod["metadata"]


def is_running(pod: Manifest) -> bool:
    """Return True if the kubelet has started a pod, and the pod is not being deleted."""
    return pod.get("status", {}).get("phase") == "Running" and not is_leaving(pod)


def _is_about(event: Manifest, pod: Manifest) -> bool:
    return bool(event["involvedObject"].get("uid") == pod["metadata"]["uid"])


def _find_time(event: Manifest) -> str:
    """Return the time of an event in RFC 3339. Events of the new API have it only in ``eventTime``."""
    return str(event.get("lastTimestamp") or event.get("eventTime") or "")


def _name_engine(event: Manifest) -> str:
    """Return the component that wrote an event. Events of the old API have it only in ``source``."""
    name: Any = event.get("reportingComponent") or event.get("source", {}).get("component", "")
    return str(name)
