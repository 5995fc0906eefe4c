"""etcd, API server, controller manager, scheduler and kwok on loopback."""

import secrets
import time
from dataclasses import dataclass
from ipaddress import IPv4Network
from pathlib import Path

import yaml
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from gpu_blueprint.errors import LabError

from .engines import find_engine
from .kube import KubeClient
from .workspace import Workspace

_STAGES = Path(__file__).parent / "stages"
_SECONDS_TO_START = 60
FAKE_NODE = "kwok.x-k8s.io/node=fake"
"""Annotation of the nodes that kwok keeps alive."""


@dataclass(frozen=True, slots=True)
class ControlPlane:
    """A running control plane; ``kubeconfig`` is an administrator's."""

    url: str
    token: str
    kubeconfig: Path
    client: KubeClient


def start_control_plane(workspace: Workspace, service_cidr: IPv4Network) -> ControlPlane:
    """Start the engines of a cluster and wait until the API server is ready.

    Raises:
        LabError: An engine is missing, ends, or is not ready within a minute.
    """
    _write_keys(workspace.folder)
    token = _write_token(workspace.folder)
    etcd = _start_etcd(workspace)
    port = workspace.find_port()
    _start_api_server(workspace, etcd, port, service_cidr)
    plane = _connect(workspace, f"https://127.0.0.1:{port}", token)
    _start_controllers(workspace, plane.kubeconfig)
    return plane


def _write_keys(folder: Path) -> None:
    """Write the key that signs the tokens of service accounts."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    encoding, form = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    (folder / "sa.key").write_bytes(key.private_bytes(encoding, form, serialization.NoEncryption()))


def _write_token(folder: Path) -> str:
    """Write the token of an administrator, and return it."""
    token = secrets.token_urlsafe(24)
    file = folder / "tokens.csv"
    file.touch(mode=0o600)
    file.write_text(f'{token},admin,admin,"system:masters"\n', encoding="utf-8")
    return token


def _start_etcd(workspace: Workspace) -> str:
    """Start etcd and return its address; the data may be lost, so no write waits for the disk."""
    client, peer = (f"http://127.0.0.1:{workspace.find_port()}" for _ in range(2))
    command = [
        str(find_engine("etcd")),
        f"--data-dir={workspace.folder / 'etcd'}",
        f"--listen-client-urls={client}",
        f"--advertise-client-urls={client}",
        f"--listen-peer-urls={peer}",
        f"--initial-advertise-peer-urls={peer}",
        f"--initial-cluster=default={peer}",
        "--unsafe-no-fsync",
    ]
    workspace.start("etcd", command)
    return client


def _start_api_server(workspace: Workspace, etcd: str, port: int, service_cidr: IPv4Network) -> None:
    folder = workspace.folder
    command = [
        str(find_engine("kube-apiserver")),
        f"--etcd-servers={etcd}",
        f"--cert-dir={folder / 'certs'}",
        "--bind-address=127.0.0.1",
        f"--secure-port={port}",
        f"--service-cluster-ip-range={service_cidr}",
        "--service-account-issuer=https://kubernetes.default.svc",
        f"--service-account-signing-key-file={folder / 'sa.key'}",
        f"--service-account-key-file={folder / 'sa.key'}",
        f"--token-auth-file={folder / 'tokens.csv'}",
        "--authorization-mode=RBAC",
        "--allow-privileged",
        # EKS has this plugin on: a pod that asks for an extended resource gets the toleration of the same name.
        "--enable-admission-plugins=ExtendedResourceToleration",
    ]
    workspace.start("kube-apiserver", command)


def _connect(workspace: Workspace, url: str, token: str) -> ControlPlane:
    """Wait until the API server is ready, and write a kubeconfig."""
    certificate = workspace.folder / "certs" / "apiserver.crt"
    end = time.monotonic() + _SECONDS_TO_START
    client: KubeClient | None = None
    while time.monotonic() < end:
        workspace.refuse_dead_engines()
        if client is None and certificate.exists():
            client = _try_to_connect(url, token, certificate)
        if client is not None and client.is_ready():
            return ControlPlane(url, token, _write_kubeconfig(workspace.folder, url, token, certificate), client)
        time.sleep(0.1)
    raise LabError(f"kube-apiserver is not ready after {_SECONDS_TO_START} s:\n{workspace.read_end('kube-apiserver')}")


def _try_to_connect(url: str, token: str, certificate: Path) -> KubeClient | None:
    """Return a client, or None while the server does not listen: the client asks for the API's version first."""
    try:
        return KubeClient(url, token, certificate)
    except Exception:  # noqa: BLE001  the client wraps every connection error in another way
        return None


def _write_kubeconfig(folder: Path, url: str, token: str, certificate: Path) -> Path:
    document = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "lab", "cluster": {"server": url, "certificate-authority": str(certificate)}}],
        "users": [{"name": "admin", "user": {"token": token}}],
        "contexts": [{"name": "lab", "context": {"cluster": "lab", "user": "admin"}}],
        "current-context": "lab",
    }
    file = folder / "kubeconfig"
    file.touch(mode=0o600)
    file.write_text(yaml.safe_dump(document), encoding="utf-8")
    return file


def _start_controllers(workspace: Workspace, kubeconfig: Path) -> None:
    """Start the programs that watch the API server."""
    access = [f"--{kind}kubeconfig={kubeconfig}" for kind in ("", "authentication-", "authorization-")]
    local = [*access, "--leader-elect=false", "--bind-address=127.0.0.1"]
    manager = [
        str(find_engine("kube-controller-manager")),
        *local,
        f"--secure-port={workspace.find_port()}",
        f"--service-account-private-key-file={workspace.folder / 'sa.key'}",
        "--use-service-account-credentials=false",
        "--controllers=*,-node-ipam-controller,-cloud-node-lifecycle-controller",
    ]
    workspace.start("kube-controller-manager", manager)
    workspace.start("kube-scheduler", [find_engine("kube-scheduler"), *local, f"--secure-port={workspace.find_port()}"])
    kwok = [
        str(find_engine("kwok")),
        f"--kubeconfig={kubeconfig}",
        "--manage-all-nodes=false",
        # Without leases the controller manager declares every node dead after 40 seconds.
        "--node-lease-duration-seconds=40",
        f"--manage-nodes-with-annotation-selector={FAKE_NODE}",
        *(f"--config={file}" for file in sorted(_STAGES.glob("*.yaml"))),
    ]
    workspace.start("kwok", kwok)
