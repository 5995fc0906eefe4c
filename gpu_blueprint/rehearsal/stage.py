"""A running lab as the probes use it: send pods, wait until each has its fate, read who runs where."""

import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from lab.kube import RefusedError
from lab.lab import Lab
from lab.scene import Manifest

from ..errors import LabError
from .outcome import Fate, Landing, Outcome, PodFate

PROBE_LABEL = "gpu-blueprint/probe"
"""Label of everything that a probe creates: the name of the probe."""
_CLAIM = ("karpenter.sh/v1", "NodeClaim")
_NODE = ("v1", "Node")
_PROBE_KINDS = (("apps/v1", "Deployment"), ("v1", "Pod"))
_SNAPSHOT_S = 0.4
_PATIENCE_S = 45.0
"""Seconds after which a pod without a fate is reported as waiting."""
_SECOND_LOOK_S = 3.0
"""A pod waits for good if it still waits some seconds after Karpenter's refusal: Karpenter tries other offers."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Objects of the cluster at one moment."""

    taken: float
    pods: Sequence[Mapping[str, Any]]
    nodes: Mapping[str, Mapping[str, Any]]
    events: Sequence[Mapping[str, Any]]


@dataclass(slots=True)
class _Sent:
    """A pod on its way."""

    name: str
    namespace: str
    since: float
    refused: str = ""
    failed_at: float = field(default=0.0)


class Stage:
    """The lab with a memory of the last snapshot. Threads share a stage."""

    def __init__(self, lab: Lab) -> None:
        self.lab = lab
        self._lock = threading.Lock()
        self._snapshot = Snapshot(0.0, (), {}, ())

    def look(self) -> Snapshot:
        """Return the objects of the cluster, at most 0.4 seconds old."""
        with self._lock:
            if time.monotonic() - self._snapshot.taken > _SNAPSHOT_S:
                self.lab.workspace.refuse_dead_engines()
                kube = self.lab.kube
                nodes = {node["metadata"]["name"]: node for node in kube.list("v1", "Node")}
                events = kube.list("v1", "Event")
                self._snapshot = Snapshot(time.monotonic(), kube.list("v1", "Pod"), nodes, events)
            return self._snapshot

    def wait_until(self, holds: Callable[[Snapshot], bool], seconds: float = _PATIENCE_S) -> bool:
        """Wait until a condition holds; return False after the seconds."""
        end = time.monotonic() + seconds
        while not holds(self.look()):
            if time.monotonic() > end:
                return False
            time.sleep(_SNAPSHOT_S / 2)
        return True

    def send(self, pods: Iterable[Manifest]) -> Outcome:
        """Create pods all at once, wait until each has its fate, and return the fates."""
        start = time.monotonic()
        sent = [self._create(pod) for pod in pods]
        self.wait_until(lambda snapshot: all(self._has_fate(pod, snapshot) for pod in sent))
        return self.read(sent, start)

    def follow(self, pods: Sequence[Mapping[str, Any]], start: float) -> Outcome:
        """Wait until pods that a controller has created have their fate."""
        places = [pod["metadata"] for pod in pods]
        sent = [_Sent(place["name"], place["namespace"], start) for place in places]
        self.wait_until(lambda snapshot: all(self._has_fate(pod, snapshot) for pod in sent))
        return self.read(sent, start)

    def read(self, sent: Sequence[_Sent], start: float) -> Outcome:
        """Return the fates of pods as they are now."""
        snapshot = self.look()
        fates = tuple(self._judge(pod, snapshot) for pod in sent)
        return Outcome(pods=fates, seconds=time.monotonic() - start)

    def find_landing(self, node: Mapping[str, Any]) -> Landing:
        """Return type, purchase, zone and price of a node."""
        labels = node["metadata"]["labels"]
        instance = self.lab.aws.instances.get(node["spec"].get("providerID", "").rpartition("/")[2])
        return Landing(
            node=node["metadata"]["name"],
            pool=labels.get("karpenter.sh/nodepool") or labels.get("eks.amazonaws.com/nodegroup", ""),
            instance_type=labels.get("node.kubernetes.io/instance-type", ""),
            purchase=labels.get("karpenter.sh/capacity-type", ""),
            zone=labels.get("topology.kubernetes.io/zone", ""),
            usd_per_hour=instance.usd_per_hour if instance else 0.0,
            is_managed="karpenter.sh/nodepool" not in labels,
        )

    def list_pods(self, namespace: str, labels: Mapping[str, str]) -> list[Mapping[str, Any]]:
        """Return the living pods of a namespace that carry labels."""
        return [
            pod
            for pod in self.look().pods
            if pod["metadata"]["namespace"] == namespace
            and "deletionTimestamp" not in pod["metadata"]
            and labels.items() <= pod["metadata"].get("labels", {}).items()
        ]

    def clean(self, seconds: float = 30.0) -> None:
        """Take away everything that probes made, and every node that Karpenter launched.

        Karpenter terminates the instances, because it counts reserved instances by its own launches and terminations.
        The rest of the way, in which Karpenter looks every five seconds whether an instance is gone, is cut short.

        Raises:
            LabError: Something is still there after the seconds.
        """
        kube, end = self.lab.kube, time.monotonic() + seconds
        for kind in _PROBE_KINDS:
            for found in kube.list(*kind, labels=PROBE_LABEL):
                kube.delete(*kind, found["metadata"]["name"], found["metadata"]["namespace"])
        for claim in kube.list(*_CLAIM):
            kube.delete(*_CLAIM, claim["metadata"]["name"])
        while self._has_instances() and time.monotonic() < end:
            time.sleep(_SNAPSHOT_S / 4)
        while left := self._remove_launched():
            if time.monotonic() > end:
                raise LabError(f"{', '.join(left)} cannot be removed")
            time.sleep(_SNAPSHOT_S / 4)

    def _has_instances(self) -> bool:
        """Return whether an instance runs in the lab's account."""
        return any(one.state == "running" for one in [*self.lab.aws.instances.values()])

    def _remove_launched(self) -> list[str]:
        """Delete the nodes and claims of Karpenter that are left, without their finalizers, and return their names."""
        kube, names = self.lab.kube, []
        for api_version, kind in (_CLAIM, _NODE):
            for found in kube.list(api_version, kind, labels="karpenter.sh/nodepool"):
                name = found["metadata"]["name"]
                names.append(name)
                kube.delete(api_version, kind, name)
                with suppress(RefusedError):  # it is gone already
                    kube.patch(api_version, kind, name, {"metadata": {"finalizers": None}})
        return names + [pod["metadata"]["name"] for pod in kube.list("v1", "Pod", labels=PROBE_LABEL)]

    def _create(self, pod: Manifest) -> _Sent:
        place = pod["metadata"]
        sent = _Sent(place["name"], place["namespace"], time.monotonic())
        try:
            self.lab.kube.create(pod)
        except RefusedError as error:
            sent.refused = error.reason
        return sent

    def _has_fate(self, sent: _Sent, snapshot: Snapshot) -> bool:
        """Return whether a pod runs, was refused, or waits for good."""
        if sent.refused:
            return True
        pod = _find_pod(snapshot, sent)
        if pod is None:  # preempted, or not yet in the snapshot
            return snapshot.taken - sent.since > _SECOND_LOOK_S
        if pod["status"].get("phase") == "Running":
            return True
        if not find_reason(snapshot, pod):
            return False
        sent.failed_at = sent.failed_at or time.monotonic()
        return time.monotonic() - sent.failed_at > _SECOND_LOOK_S

    def _judge(self, sent: _Sent, snapshot: Snapshot) -> PodFate:
        """Return the fate of a pod, with the reason in the engine's own words."""
        fate = PodFate(name=sent.name, namespace=sent.namespace, fate=Fate.WAITS)
        if sent.refused:
            return replace(fate, fate=Fate.REFUSED, reason=sent.refused)
        pod = _find_pod(snapshot, sent)
        if pod is None:
            return replace(fate, reason="the pod is gone")
        if pod["status"].get("phase") == "Running" and (node := snapshot.nodes.get(pod["spec"]["nodeName"])):
            seconds = time.monotonic() - sent.since
            return replace(fate, fate=Fate.RUNS, landing=self.find_landing(node), seconds=seconds)
        reason = find_reason(snapshot, pod) or find_reason(snapshot, pod, "default-scheduler")
        return replace(fate, reason=reason or "no engine gives a reason")


def _find_pod(snapshot: Snapshot, sent: _Sent) -> Mapping[str, Any] | None:
    wanted = sent.name, sent.namespace
    return next(
        (pod for pod in snapshot.pods if (pod["metadata"]["name"], pod["metadata"]["namespace"]) == wanted), None
    )


def find_reason(snapshot: Snapshot, pod: Mapping[str, Any], engine: str = "karpenter") -> str:
    """Return the last reason of an engine why a pod gets no node, or nothing."""
    found = [
        event
        for event in snapshot.events
        if event["involvedObject"].get("uid") == pod["metadata"]["uid"]
        and event["reason"] == "FailedScheduling"
        and engine in (event.get("reportingComponent") or event.get("source", {}).get("component", ""))
    ]
    return str(found[-1]["message"]) if found else ""
