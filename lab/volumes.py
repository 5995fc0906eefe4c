"""Volumes of EBS: a stand-in for the provisioner of its CSI driver, which an add-on of EKS runs in real clusters."""

from collections.abc import Mapping
from contextlib import suppress
from threading import Event, Thread
from typing import Any

from gpu_blueprint.errors import LabError

from .kube import KubeClient, RefusedError
from .orphans import SECONDS_TO_END
from .scene import Manifest

DRIVER = "ebs.csi.aws.com"
ZONE = "topology.kubernetes.io/zone"
_LOOK_EVERY_S = 0.5
_PROVISIONER = "volume.kubernetes.io/storage-provisioner"
_SELECTED_NODE = "volume.kubernetes.io/selected-node"
_PROVISIONED_BY = "pv.kubernetes.io/provisioned-by"
_SHARED = {"ReadWriteMany", "ReadOnlyMany"}
_CLAIM = ("v1", "PersistentVolumeClaim")
_VOLUME = ("v1", "PersistentVolume")


class Volumes:
    """Gives each claim that waits for EBS a volume in the zone of its pod, and removes the volumes of deleted claims.

    Args:
        kube: The API server.
        zone: Zone of a volume that is made before its pod has a node.
    """

    def __init__(self, kube: KubeClient, zone: str) -> None:
        self._kube, self._zone = kube, zone
        self._refused: set[str] = set()
        self._stopping = Event()
        self._thread = Thread(target=self._run, name="volumes", daemon=True)

    def start(self) -> None:
        """Install the driver and serve claims in a thread."""
        self._kube.apply(build_driver())
        self._thread.start()

    def stop(self) -> None:
        """End the thread; volumes stay."""
        self._stopping.set()
        self._thread.join(SECONDS_TO_END)

    def serve_claims(self) -> None:
        """Look once at every claim and every volume."""
        for claim in self._kube.list(*_CLAIM):
            if waits_for_volume(claim):
                self._serve(claim)
        for volume in self._kube.list(*_VOLUME):
            if is_released(volume):
                self._kube.delete(*_VOLUME, volume["metadata"]["name"])

    def _run(self) -> None:
        while not self._stopping.wait(_LOOK_EVERY_S):
            with suppress(LabError, RefusedError):  # the lab ends, or an object has changed meanwhile: look again
                self.serve_claims()

    def _serve(self, claim: Mapping[str, Any]) -> None:
        """Make a volume for a claim, or send the claim back as the driver does."""
        class_ = self._kube.get("storage.k8s.io/v1", "StorageClass", claim["spec"]["storageClassName"]) or {}
        node = claim["metadata"]["annotations"].get(_SELECTED_NODE)
        if node is None and class_.get("volumeBindingMode") == "WaitForFirstConsumer":
            return
        if reason := find_refusal(claim):
            self._refuse(claim, reason)
        elif node is None:
            self._kube.apply(build_volume(claim, class_, self._zone))
        elif found := self._kube.get("v1", "Node", node):
            self._kube.apply(build_volume(claim, class_, found["metadata"]["labels"][ZONE]))
        else:
            self._send_back(claim)

    def _refuse(self, claim: Mapping[str, Any], reason: str) -> None:
        """Tell once why a claim gets no volume; a claim that the scheduler sends again is told again."""
        version = claim["metadata"]["resourceVersion"]
        if version not in self._refused:
            self._refused.add(version)
            self._kube.create(build_event(claim, reason))
            self._send_back(claim)

    def _send_back(self, claim: Mapping[str, Any]) -> None:
        """Let the scheduler choose another node for the pod of a claim; it reports that the claim came back."""
        place = claim["metadata"]
        body = {"metadata": {"annotations": {_SELECTED_NODE: None}}}
        self._kube.patch(*_CLAIM, place["name"], body, namespace=place["namespace"])


def build_driver() -> Manifest:
    """Return the driver's registration. Nothing in the lab attaches a volume to a node, so nothing waits for it."""
    return {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "CSIDriver",
        "metadata": {"name": DRIVER},
        "spec": {"attachRequired": False},
    }


def waits_for_volume(claim: Mapping[str, Any]) -> bool:
    """Return whether Kubernetes asks EBS for the volume of a claim."""
    annotations = claim["metadata"].get("annotations", {})
    is_ours = annotations.get(_PROVISIONER) == DRIVER and "deletionTimestamp" not in claim["metadata"]
    return is_ours and not claim["spec"].get("volumeName")


def is_released(volume: Mapping[str, Any]) -> bool:
    """Return whether the claim of a volume is gone, and the volume may go too."""
    is_ours = volume["metadata"].get("annotations", {}).get(_PROVISIONED_BY) == DRIVER
    is_free = volume.get("status", {}).get("phase") == "Released"
    return is_ours and is_free and bool(volume["spec"]["persistentVolumeReclaimPolicy"] == "Delete")


def find_refusal(claim: Mapping[str, Any]) -> str:
    """Return the driver's reason to refuse a claim, or nothing: a file system on EBS belongs to one node at a time."""
    spec = claim["spec"]
    shared = sorted(_SHARED & set(spec["accessModes"]))
    if not shared or spec.get("volumeMode") == "Block":
        return ""
    return f"Volume capabilities {', '.join(shared)} not supported. Only AccessModes[ReadWriteOnce] supported."


def build_volume(claim: Mapping[str, Any], class_: Mapping[str, Any], zone: str) -> Manifest:
    """Return the volume of a claim, bound to it, as the driver makes it.

    Args:
        claim: The claim.
        class_: Its StorageClass.
        zone: Zone of the volume: no node of another zone can take it.
    """
    place, spec = claim["metadata"], claim["spec"]
    terms = [{"matchExpressions": [{"key": ZONE, "operator": "In", "values": [zone]}]}]
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": f"pvc-{place['uid']}", "annotations": {_PROVISIONED_BY: DRIVER}},
        "spec": {
            "capacity": {"storage": spec["resources"]["requests"]["storage"]},
            "accessModes": spec["accessModes"],
            "volumeMode": spec.get("volumeMode", "Filesystem"),
            "storageClassName": spec["storageClassName"],
            "persistentVolumeReclaimPolicy": class_.get("reclaimPolicy", "Delete"),
            "claimRef": {
                "apiVersion": "v1",
                "kind": "PersistentVolumeClaim",
                **{key: place[key] for key in ("name", "namespace", "uid")},
            },
            "csi": {"driver": DRIVER, "volumeHandle": f"vol-{place['uid'].replace('-', '')[:17]}"},
            "nodeAffinity": {"required": {"nodeSelectorTerms": terms}},
        },
    }


def build_event(claim: Mapping[str, Any], reason: str) -> Manifest:
    """Return the event with which the provisioner refuses a claim."""
    place = claim["metadata"]
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"generateName": f"{place['name']}.", "namespace": place["namespace"]},
        "type": "Warning",
        "reason": "ProvisioningFailed",
        "message": f'failed to provision volume with StorageClass "{claim["spec"]["storageClassName"]}": {reason}',
        "source": {"component": DRIVER},
        "involvedObject": {
            "apiVersion": "v1",
            "kind": "PersistentVolumeClaim",
            **{key: place[key] for key in ("name", "namespace", "uid")},
        },
    }
