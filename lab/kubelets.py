"""The kubelets of all nodes with kwok's annotation: kwok simulates them, with the stages in lab/stages."""

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType

from .engines import find_engine
from .kube import KubeClient
from .workspace import Workspace

PLAYED: Mapping[str, str] = MappingProxyType({"kwok.x-k8s.io/node": "fake"})
"""Annotation of the nodes whose kubelet kwok simulates."""
RUNS = "gpu-blueprint.lab/runs"
"""Annotation of pods that complete by themselves: their run time, such as ``25s``."""
STOPS = "gpu-blueprint.lab/stops-with"
"""Annotation of pods that fail when they are deleted or evicted: the exit code of their containers, such as ``143``."""
STAGES = Path(__file__).parent / "stages"


def list_addresses(address: str, name: str) -> list[dict[str, str]]:
    """Return the addresses in a node's status, from the node's private IPv4 address and DNS name."""
    return [
        {"type": "InternalIP", "address": address},
        {"type": "InternalDNS", "address": name},
        {"type": "Hostname", "address": name},
    ]


def start_kubelets(workspace: Workspace, kubeconfig: Path) -> None:
    """Start kwok: nodes become ready and renew their leases, bound pods run, deleted pods end."""
    selector = ",".join(f"{key}={value}" for key, value in PLAYED.items())
    workspace.start(
        "kwok",
        [
            find_engine("kwok"),
            f"--kubeconfig={kubeconfig}",
            "--manage-all-nodes=false",
            f"--manage-nodes-with-annotation-selector={selector}",
            # Without leases, the controller manager declares every node dead after 40 seconds.
            "--node-lease-duration-seconds=40",
            *(f"--config={file}" for file in sorted(STAGES.glob("*.yaml"))),
        ],
    )


def stop_kubelet(kube: KubeClient, node: str) -> None:
    """Silence the kubelet of a node: it no longer renews the node's lease, and no longer starts or ends pods.

    The node's lease gets another holder, and kwok simulates only nodes whose leases it holds.
    """
    lease = {"holderIdentity": "nobody", "leaseDurationSeconds": 86400, "renewTime": f"{datetime.now(UTC):%FT%T.%fZ}"}
    kube.patch("coordination.k8s.io/v1", "Lease", node, {"spec": lease}, "kube-node-lease")
