"""JobSet, as its chart installs it: its definition, the program, then the webhooks."""

import base64
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import urllib3
import yaml

from gpu_blueprint.catalog.namespaces import JOBSET as NAMESPACE
from gpu_blueprint.yaml_text import write_yaml

from .certificates import Authority, list_certificate_files
from .control_plane import ControlPlane
from .engines import find_engine
from .jobset_objects import JOBSET_OBJECTS
from .kube import RefusedError
from .readiness import wait_until_served
from .scene import Manifest
from .workspace import Workspace

NAME = "jobset"
API_VERSION = "jobset.x-k8s.io/v1alpha2"
SERVICE_ACCOUNT = f"system:serviceaccount:{NAMESPACE}:jobset-controller"
_AUTHORITY, _SERVER = "jobset-ca", f"jobset-webhook-service.{NAMESPACE}.svc"
_OF_JOBSETS = {"matchExpressions": [{"key": "jobset.sigs.k8s.io/jobset-name", "operator": "Exists"}]}
"""The pods that the chart's webhooks see; the webhooks of the module, which the lab copies, see all pods."""
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_CANARY: Manifest = {
    "apiVersion": API_VERSION,
    "kind": "JobSet",
    "metadata": {"name": "canary", "namespace": NAMESPACE},
    "spec": {},
}
"""An object to which JobSet's webhook adds a policy of success."""


class JobSet:
    """JobSet beside a control plane, on ports of its own. Its webhooks stay while it is stopped, as in a cluster."""

    def __init__(self, workspace: Workspace, plane: ControlPlane) -> None:
        self._workspace, self._plane = workspace, plane
        self._health, self._metrics, self._webhooks = (workspace.find_port() for _ in range(3))
        authority = Authority(_AUTHORITY)
        self._authority, self._certificate = authority.own, authority.sign_server(_SERVER)

    @property
    def metrics_url(self) -> str:
        """The address of the metrics; it wants the administrator's token, and has a certificate that nobody signed."""
        return f"https://127.0.0.1:{self._metrics}/metrics"

    def start(self) -> None:
        """Install what is not installed, start the program, and wait until its webhooks answer.

        Raises:
            LabError: JobSet ends, or does not get ready within a minute.
        """
        self.install_definitions()
        kube = self._plane.client
        if kube.get("v1", "Namespace", NAMESPACE) is None:
            kube.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}})
        self._start_program()
        for webhook in self.list_webhooks():
            kube.apply(webhook)
        self._workspace.wait_for(NAME, "JobSet: its webhooks", self._answers)

    def stop(self) -> None:
        """End the program alone, as if all its pods were gone."""
        self._workspace.stop(NAME)

    def uninstall(self) -> None:
        """Remove the program and the webhooks, as `helm uninstall` does; Helm keeps the definition and its objects."""
        self.stop()
        for webhook in self.list_webhooks():
            self._plane.client.delete(webhook["apiVersion"], webhook["kind"], webhook["metadata"]["name"])

    def install_definitions(self) -> None:
        """Let the API server serve JobSets; without JobSet nothing looks at them.

        Raises:
            LabError: The API server does not serve the kind within half a minute.
        """
        definitions = [yaml.load(JOBSET_OBJECTS.read(file), Loader=_LOADER) for file in JOBSET_OBJECTS.definitions]  # noqa: S506  a safe loader
        for definition in definitions:
            self._plane.client.apply(definition)
        wait_until_served(self._plane.client, self._workspace.refuse_dead_engines, definitions)

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
        self._workspace.wait_for(NAME, "JobSet: the program", self._is_ready)

    def build_configuration(self, folder: Path) -> dict[str, Any]:
        """Return a configuration with the lab's addresses and certificates, and without an election of a leader.

        Args:
            folder: The folder with the certificate of the webhooks.
        """
        return {
            "apiVersion": "config.jobset.x-k8s.io/v1alpha1",
            "kind": "Configuration",
            "health": {"healthProbeBindAddress": f"127.0.0.1:{self._health}"},
            "metrics": {"bindAddress": f"127.0.0.1:{self._metrics}"},
            "webhook": {"host": "127.0.0.1", "port": self._webhooks, "certDir": str(folder)},
            "leaderElection": {"leaderElect": False},
            "internalCertManagement": {"enable": False},
        }

    def list_webhooks(self) -> Iterator[dict[str, Any]]:
        """Yield the webhook configurations with the names, selectors and failure policies of the chart."""
        authority = base64.b64encode(self._authority.certificate).decode()
        for document in yaml.safe_load_all(JOBSET_OBJECTS.read(JOBSET_OBJECTS.webhooks)):
            document["metadata"]["name"] = f"{NAME}-{document['metadata']['name']}"
            for hook in document["webhooks"]:
                path = hook["clientConfig"]["service"]["path"]
                hook["clientConfig"] = {"url": f"https://127.0.0.1:{self._webhooks}{path}", "caBundle": authority}
                if "pods" in hook["rules"][0]["resources"]:
                    hook["objectSelector"] = _OF_JOBSETS
            yield document

    def _is_ready(self) -> bool:
        with suppress(urllib3.exceptions.HTTPError), urllib3.PoolManager(retries=False, timeout=2) as pool:
            return pool.request("GET", f"http://127.0.0.1:{self._health}/readyz").status == 200
        return False

    def _answers(self) -> bool:
        """Return whether the API server asks JobSet about a JobSet."""
        with suppress(RefusedError):  # a webhook that is not reachable yet
            return "successPolicy" in self._plane.client.apply(_CANARY, dry_run=True)["spec"]
        return False
