"""The whole lab of one scene: a control plane, AWS on loopback, Karpenter."""

import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from ipaddress import IPv4Network
from typing import Any, Self

import yaml

from gpu_blueprint.errors import LabError

from .aws import Shim, Timings
from .control_plane import ControlPlane, start_control_plane
from .crds import find_crds
from .karpenter import NAME, start_karpenter
from .kube import KubeClient, RefusedError
from .node_groups import join_node_groups
from .scene import Manifest, Scene, identify
from .workspace import Workspace, open_workspace

_FIRST = ("CustomResourceDefinition", "Namespace", "PriorityClass", "StorageClass", "ResourceQuota", "LimitRange")
"""Kinds that other kinds need, in order of need."""
_SECONDS_TO_GET_READY = 90
_SECONDS_TO_SERVE = 30
KARPENTER_KINDS = (
    ("karpenter.k8s.aws/v1", "EC2NodeClass"),
    ("karpenter.sh/v1", "NodePool"),
    ("karpenter.sh/v1alpha1", "NodeOverlay"),
)


@dataclass(frozen=True, slots=True)
class Refusal:
    """An object that the API server refuses."""

    name: str
    """Kind, namespace and name."""
    reason: str
    """The message of the API server."""
    file: str = ""
    """The file in which `blueprint render` writes the object; empty for an object that is not the platform's."""


class Lab:
    """A cluster on loopback for one scene; a context manager that ends everything that it starts."""

    def __init__(self, scene: Scene, timings: Timings | None = None) -> None:
        self.scene = scene
        self._timings = timings or Timings()
        self._open = ExitStack()
        self.workspace: Workspace
        self.plane: ControlPlane
        self.aws: Shim

    @property
    def kube(self) -> KubeClient:
        """The administrator's client of the API server."""
        return self.plane.client

    def __enter__(self) -> Self:
        """Start the control plane, AWS and the managed nodes; no CRD, no rendered object and no Karpenter yet."""
        with ExitStack() as opened:
            self.workspace = opened.enter_context(open_workspace())
            self.plane = start_control_plane(self.workspace, IPv4Network(self.scene.service_cidr))
            self.aws = Shim(self.scene, self.kube, self._timings)
            self.aws.start()
            opened.callback(self.aws.stop)
            join_node_groups(self.kube, self.scene)
            self._open = opened.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def install_crds(self, group: str = "") -> None:
        """Apply the custom resource definitions of an API group such as ``karpenter``, or of all groups.

        Raises:
            LabError: The API server does not serve a kind within half a minute.
        """
        documents = [
            crd
            for file in sorted(find_crds().glob("*.yaml"))
            for crd in yaml.load_all(file.read_text(encoding="utf-8"), Loader=_Loader)
            if crd and group in crd["spec"]["group"]
        ]
        for crd in documents:
            self.kube.apply(crd)
        waiting = {crd["metadata"]["name"] for crd in documents}
        end = time.monotonic() + _SECONDS_TO_SERVE
        while waiting := waiting - set(self._list_served()):
            if time.monotonic() > end:
                raise LabError(f"the API server does not serve {', '.join(sorted(waiting))}")
            time.sleep(0.2)

    def _list_served(self) -> Iterator[str]:
        """Yield the names of the custom resource definitions whose kinds the API server serves."""
        for crd in self.kube.list("apiextensions.k8s.io/v1", "CustomResourceDefinition"):
            if _has_condition(crd, "Established"):
                yield crd["metadata"]["name"]

    def load(self, manifests: Iterable[Manifest]) -> list[Refusal]:
        """Apply objects, the kinds that others need first, and return every refusal."""
        refusals = []
        for manifest in sorted(manifests, key=_find_rank):
            try:
                self.kube.apply(manifest)
            except RefusedError as error:
                name = identify(manifest)
                refusals.append(Refusal(name, error.reason, self.scene.files.get(name, "")))
        return refusals

    def start_karpenter(self) -> None:
        """Start Karpenter against this cluster and this AWS."""
        start_karpenter(self.workspace, self.plane, self.scene, self.aws.environment())

    def stop_karpenter(self) -> None:
        """End Karpenter."""
        self.workspace.stop(NAME)

    def wait_until_ready(self) -> float:
        """Wait until every node class, pool and overlay is ready, and return the seconds that it took.

        Raises:
            LabError: It names every object that is not ready after 90 seconds, with Karpenter's reason.
        """
        start = time.monotonic()
        while unready := self._list_unready():
            self.workspace.refuse_dead_engines()
            if time.monotonic() - start > _SECONDS_TO_GET_READY:
                raise LabError("Karpenter does not accept these objects:\n" + "\n".join(unready))
            time.sleep(0.3)
        return time.monotonic() - start

    def _list_unready(self) -> list[str]:
        """Return a line for each of Karpenter's objects that is not ready, with the reasons."""
        objects = [found for kind in KARPENTER_KINDS for found in self.kube.list(*kind)]
        return [line for found in objects if (line := _explain_unready(found))]


def _explain_unready(found: Mapping[str, Any]) -> str:
    """Return the kind, the name and the failing conditions of an object, or nothing if it is ready."""
    conditions = _list_conditions(found)
    if _has_condition(found, "Ready"):
        return ""
    failing = [f"{c['type']}: {c.get('message') or c.get('reason')}" for c in conditions if c["status"] != "True"]
    return f"  {found['kind']} {found['metadata']['name']}: {'; '.join(failing) or 'Karpenter has not looked at it'}"


def _has_condition(found: Mapping[str, Any], type_: str) -> bool:
    """Return whether a condition of an object is true."""
    return any(row["type"] == type_ and row["status"] == "True" for row in _list_conditions(found))


def _list_conditions(found: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the conditions of an object; a young CRD has null in their place."""
    return found.get("status", {}).get("conditions") or []


def _find_rank(manifest: Manifest) -> int:
    """Return the place of an object in the order of loading."""
    return _FIRST.index(manifest["kind"]) if manifest["kind"] in _FIRST else len(_FIRST)


_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The C parser where it is there: CRDs are long."""
