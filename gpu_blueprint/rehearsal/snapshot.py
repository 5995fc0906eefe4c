"""The cluster at one moment, and the fate of a pod in it."""

from collections.abc import Mapping, Sequence
from typing import Any

from lab.kube import KubeClient
from lab.scene import Manifest

from ..records import Record, field

KARPENTER, SCHEDULER = "karpenter", "default-scheduler"
"""The engines that find nodes, as they name themselves in events."""


class Snapshot(Record, kw_only=True):
    """Objects of the cluster at one moment."""

    taken: float = 0.0
    """Time of the monotonic clock."""
    pods: Sequence[Manifest] = ()
    nodes: Mapping[str, Manifest] = field(default_factory=dict)
    """Name → node."""
    events: Sequence[Manifest] = ()
    """The events with the reason why a pod has no node; none while every pod has a node."""

    def is_open(self, node: str) -> bool:
        """Return whether a node exists and is not being deleted."""
        found = self.nodes.get(node)
        return found is not None and "deletionTimestamp" not in found["metadata"]

    def find_pod(self, name: str, namespace: str) -> Manifest | None:
        """Return a pod that is not being deleted, or None."""
        wanted = name, namespace
        return next((pod for pod in self.pods if name_pod(pod) == wanted and not is_leaving(pod)), None)

    def find_reason(self, pod: Manifest, engine: str) -> str:
        """Return the last reason of an engine for a pod without node, or nothing."""
        found = [event for event in self.events if _is_about(event, pod) and engine in _name_engine(event)]
        return str(max(found, key=_find_time)["message"]) if found else ""


def take_snapshot(kube: KubeClient, now: float) -> Snapshot:
    """Read the cluster, pods first, so that no node of a running pod is missing."""
    pods = kube.list("v1", "Pod")
    nodes = {node["metadata"]["name"]: node for node in kube.list("v1", "Node")}
    are_waiting = any(not pod["spec"].get("nodeName") for pod in pods)
    events = kube.list("v1", "Event") if are_waiting else []
    return Snapshot(
        taken=now, pods=pods, nodes=nodes, events=[row for row in events if row["reason"] == "FailedScheduling"]
    )


def list_events(kube: KubeClient, name: str, namespace: str | None) -> list[str]:
    """Return every event of a pod, or of a node (without namespace), oldest first, such as ``Preempted: by pod …``."""
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
    """Return whether a pod is being deleted."""
    return "deletionTimestamp" in pod["metadata"]


def is_running(pod: Manifest) -> bool:
    """Return whether the kubelet has started a pod that is not being deleted."""
    return pod.get("status", {}).get("phase") == "Running" and not is_leaving(pod)


def _is_about(event: Manifest, pod: Manifest) -> bool:
    return bool(event["involvedObject"].get("uid") == pod["metadata"]["uid"])


def _find_time(event: Manifest) -> str:
    """Return the time of an event in RFC 3339: new events have it in ``eventTime``."""
    return str(event.get("lastTimestamp") or event.get("eventTime") or "")


def _name_engine(event: Manifest) -> str:
    """Return the component that wrote an event: old events have it in ``source``."""
    name: Any = event.get("reportingComponent") or event.get("source", {}).get("component", "")
    return str(name)
