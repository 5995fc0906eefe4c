"""The drivers of shared storage: a stand-in for the agents that add-ons of EKS run on every node in real clusters."""

from collections.abc import Mapping
from contextlib import suppress
from threading import Event, Thread
from typing import Any

from gpu_blueprint.catalog.storage import CSI_DRIVERS
from gpu_blueprint.errors import LabError

from .kube import KubeClient, RefusedError
from .orphans import SECONDS_TO_END
from .scene import Manifest

_LOOK_EVERY_S = 0.5
_STARTING = frozenset(driver.startup_taint["key"] for driver in CSI_DRIVERS.values())
"""Keys of the taints that the drivers remove."""


class StorageDrivers:
    """Registers the drivers, and removes their startup taints from each node that is ready, as the agents do."""

    def __init__(self, kube: KubeClient) -> None:
        self._kube = kube
        self._stopping = Event()
        self._thread = Thread(target=self._run, name="storage-drivers", daemon=True)

    def start(self) -> None:
        """Install the drivers and serve nodes in a thread."""
        for driver in CSI_DRIVERS.values():
            self._kube.apply(build_driver(driver.name))
        self._thread.start()

    def stop(self) -> None:
        """End the thread."""
        self._stopping.set()
        self._thread.join(SECONDS_TO_END)

    def serve_nodes(self) -> None:
        """Look once at every node."""
        for node in self._kube.list("v1", "Node"):
            if waits_for_drivers(node):
                self._kube.patch("v1", "Node", node["metadata"]["name"], build_patch(node))

    def _run(self) -> None:
        while not self._stopping.wait(_LOOK_EVERY_S):
            with suppress(LabError, RefusedError):  # the lab ends, or a node has changed meanwhile: look again
                self.serve_nodes()


def build_driver(name: str) -> Manifest:
    """Return a driver's registration. No driver of shared storage attaches a volume to a node."""
    return {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "CSIDriver",
        "metadata": {"name": name},
        "spec": {"attachRequired": False},
    }


def waits_for_drivers(node: Mapping[str, Any]) -> bool:
    """Return whether agents run on a node by now, and the node still has a taint of theirs."""
    conditions = node.get("status", {}).get("conditions") or []
    is_ready = any(row["type"] == "Ready" and row["status"] == "True" for row in conditions)
    return is_ready and any(taint["key"] in _STARTING for taint in node["spec"].get("taints", []))


def build_patch(node: Mapping[str, Any]) -> dict[str, Any]:
    """Return the change that removes the drivers' taints from a node; the API server refuses it for an older node."""
    kept = [taint for taint in node["spec"]["taints"] if taint["key"] not in _STARTING]
    return {"metadata": {"resourceVersion": node["metadata"]["resourceVersion"]}, "spec": {"taints": kept}}
