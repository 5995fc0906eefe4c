"""Kueue, as its chart installs it: definitions, a certificate, the program, then the webhooks."""

import base64
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import urllib3
import yaml

from gpu_blueprint.catalog.api_versions import KUEUE
from gpu_blueprint.catalog.namespaces import KUEUE as NAMESPACE
from gpu_blueprint.errors import LabError
from gpu_blueprint.yaml_text import write_yaml

from .certificates import Authority, list_certificate_files
from .control_plane import ControlPlane
from .engines import find_engine
from .kube import RefusedError
from .kueue_objects import KUEUE_OBJECTS
from .readiness import wait_until_served
from .scene import Manifest
from .workspace import Workspace

NAME = "kueue"
SERVICE_ACCOUNT = f"system:serviceaccount:{NAMESPACE}:kueue-controller-manager"
_AUTHORITY, _SERVER = "kueue-ca", f"kueue-webhook-service.{NAMESPACE}.svc"
"""Names that Kueue wants in its certificates; with any other name it would make certificates of its own."""
_SECRET = "kueue-webhook-server-cert"
_CONVERTED = ("clusterqueues", "cohorts", "localqueues", "multikueueclusters", "workloads")
"""Kinds whose definitions the chart gives a conversion webhook."""
_UNSELECTED = ("clusterqueue", "cohort", "resourceflavor", "workload")
"""Kinds whose webhooks see every namespace; all others see the namespaces of ``managedJobsNamespaceSelector``."""
_OPTIONAL = ("deployment", "pod", "statefulset")
"""Kinds that may pass a dead Kueue, unless Kueue manages them."""
_SECONDS_TO_GO = 90
"""The API server publishes all its kinds again for each definition that goes; fifteen of them take it half a minute."""
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_CANARY: Manifest = {
    "apiVersion": KUEUE,
    "kind": "ResourceFlavor",
    "metadata": {"name": "canary"},
    "spec": {},
}
"""An object to which Kueue's webhook adds a finalizer."""


class Kueue:
    """Kueue beside a control plane, on ports of its own. Its webhooks stay while it is stopped, as in a cluster."""

    def __init__(self, workspace: Workspace, plane: ControlPlane, configuration: Mapping[str, Any]) -> None:
        self._workspace, self._plane, self._configuration = workspace, plane, configuration
        self._health, self._metrics, self._webhooks = (workspace.find_port() for _ in range(3))
        authority = Authority(_AUTHORITY)
        self._authority, self._certificate = authority.own, authority.sign_server(_SERVER)
        self._has_definitions = False

    @property
    def metrics_url(self) -> str:
        """The address of the metrics; it wants the administrator's token, and has a certificate that nobody signed."""
        return f"https://127.0.0.1:{self._metrics}/metrics"

    def start(self) -> None:
        """Install what is not installed, start the program, and wait until its webhooks answer.

        Raises:
            LabError: Kueue ends, or does not get ready within a minute.
        """
        self.install_definitions()
        self._prepare_namespace()
        self._start_program()
        for webhook in self.list_webhooks():
            self._plane.client.apply(webhook)
        self._workspace.wait_for(NAME, "Kueue: its webhooks", self._answers)

    def stop(self) -> None:
        """End the program alone, as if all its pods were gone."""
        self._workspace.stop(NAME)

    def uninstall(self) -> None:
        """Remove the program, the webhooks and the definitions with all their objects, as `helm uninstall` does.

        Raises:
            LabError: A definition stays, because nobody removes the finalizers of its objects any more.
        """
        self.stop()
        found = [*self.list_webhooks(), *self._list_definitions()]
        self._has_definitions = False
        for wait_s in (0, _SECONDS_TO_GO):  # all end at the same time
            for each in found:
                kind, name = each["kind"], each["metadata"]["name"]
                is_gone = self._plane.client.delete(each["apiVersion"], kind, name, wait_s=wait_s)
                if wait_s and not is_gone:
                    reason = "its objects have finalizers, and Kueue has ended"
                    raise LabError(f"{kind} {name} does not go: {reason}; {self._explain(each)}")

    def _explain(self, staying: Manifest) -> str:
        """Return what the API server says of an object that does not go."""
        place = staying["apiVersion"], staying["kind"], staying["metadata"]["name"]
        live = self._plane.client.get(*place) or {}
        told = [f"{row['type']}: {row['message']}" for row in live.get("status", {}).get("conditions", [])]
        return ", ".join(told) or "the API server says nothing more"

    def install_definitions(self) -> None:
        """Let the API server serve Kueue's kinds; without Kueue nothing looks at their objects.

        Raises:
            LabError: The API server does not serve a kind within half a minute.
        """
        if self._has_definitions:
            return
        kube, definitions = self._plane.client, [*self._list_definitions()]
        for definition in definitions:
            kube.apply(definition)
        # Kueue ends at once if discovery does not know one of its kinds.
        wait_until_served(kube, self._workspace.refuse_dead_engines, definitions)
        self._has_definitions = True

    def _prepare_namespace(self) -> None:
        kube = self._plane.client
        if kube.get("v1", "Namespace", NAMESPACE) is None:
            kube.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}})
        kube.apply(self._build_secret())

    def _start_program(self) -> None:
        folder = self._workspace.folder / NAME
        files = list_certificate_files(self._authority, self._certificate)
        files["configuration.yaml"] = write_yaml(self.build_configuration(folder)).encode()
        files["kubeconfig"] = write_yaml(self._plane.build_kubeconfig(SERVICE_ACCOUNT)).encode()
        self._workspace.write_secrets(NAME, files)
        command: list[str | Path] = [
            find_engine(NAME),
            f"--config={folder / 'configuration.yaml'}",
            "--zap-log-level=2",
        ]
        self._workspace.start(NAME, command, {"KUBECONFIG": str(folder / "kubeconfig")})
        self._workspace.wait_for(NAME, "Kueue: the program", self._is_ready)

    def build_configuration(self, folder: Path) -> dict[str, Any]:
        """Return the platform's configuration with the lab's addresses, and without an election of a leader.

        Args:
            folder: The folder with the certificate of the webhooks.
        """
        given = self._configuration
        local: dict[str, dict[str, Any]] = {
            "health": {"healthProbeBindAddress": f"127.0.0.1:{self._health}"},
            "metrics": {"bindAddress": f"127.0.0.1:{self._metrics}"},
            "webhook": {"host": "127.0.0.1", "port": self._webhooks, "certDir": str(folder)},
            "leaderElection": {"leaderElect": False},
            # The server of this gate wants a folder in the root of the disk.
            "featureGates": {"VisibilityOnDemand": False},
        }
        return {**given, **{key: {**given.get(key, {}), **value} for key, value in local.items()}}

    def _build_secret(self) -> Manifest:
        """Return the Secret in which Kueue keeps its certificates."""
        files = {
            "ca.crt": self._authority.certificate,
            "ca.key": self._authority.key,
            "tls.crt": self._certificate.certificate,
            "tls.key": self._certificate.key,
        }
        data = {name: base64.b64encode(content).decode() for name, content in files.items()}
        place = {"name": _SECRET, "namespace": NAMESPACE}
        return {"apiVersion": "v1", "kind": "Secret", "metadata": place, "data": data}

    def _build_client(self, path: str) -> dict[str, str]:
        """Return the address of a webhook, in the place of the Service."""
        authority = base64.b64encode(self._authority.certificate).decode()
        return {"url": f"https://127.0.0.1:{self._webhooks}{path}", "caBundle": authority}

    def _list_definitions(self) -> Iterator[dict[str, Any]]:
        for file in KUEUE_OBJECTS.definitions:
            definition = yaml.load(KUEUE_OBJECTS.read(file), Loader=_LOADER)  # noqa: S506  a safe loader
            if definition["spec"]["names"]["plural"] in _CONVERTED:
                webhook = {"clientConfig": self._build_client("/convert"), "conversionReviewVersions": ["v1"]}
                definition["spec"]["conversion"] = {"strategy": "Webhook", "webhook": webhook}
            yield definition

    def list_webhooks(self) -> Iterator[dict[str, Any]]:
        """Yield the webhook configurations with the names, selectors and failure policies of the chart."""
        for document in yaml.safe_load_all(KUEUE_OBJECTS.read(KUEUE_OBJECTS.webhooks)):
            document["metadata"]["name"] = f"{NAME}-{document['metadata']['name']}"
            for hook in document["webhooks"]:
                kind = hook["name"].split(".")[0][1:]
                hook["clientConfig"] = self._build_client(hook["clientConfig"]["service"]["path"])
                hook["failurePolicy"] = "Ignore" if kind in _OPTIONAL and not self._manages(kind) else "Fail"
                if kind not in _UNSELECTED:
                    hook["namespaceSelector"] = self._configuration["managedJobsNamespaceSelector"]
            yield document

    def _manages(self, kind: str) -> bool:
        return kind in self._configuration["integrations"]["frameworks"]

    def _is_ready(self) -> bool:
        with suppress(urllib3.exceptions.HTTPError), urllib3.PoolManager(retries=False, timeout=2) as pool:
            return pool.request("GET", f"http://127.0.0.1:{self._health}/readyz").status == 200
        return False

    def _answers(self) -> bool:
        """Return whether the API server asks Kueue about an object of Kueue."""
        with suppress(RefusedError):  # a webhook that is not reachable yet
            return "finalizers" in self._plane.client.apply(_CANARY, dry_run=True)["metadata"]
        return False
