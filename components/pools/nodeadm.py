"""User data of AL2023 nodes: the NodeConfig that nodeadm reads at boot."""

from email.message import EmailMessage
from typing import Any

import yaml


def build_node_config(*, raid: bool = False) -> dict[str, Any]:
    """Return a NodeConfig with fast image pull.

    Args:
        raid: Make the local NVMe disks one volume. Karpenter's nodes leave it out, because their node class says
            ``instanceStorePolicy``.
    """
    storage = {"instance": {"localStorage": {"strategy": "RAID0"}}} if raid else {}
    return {
        "apiVersion": "node.eks.aws/v1alpha1",
        "kind": "NodeConfig",
        "spec": {"featureGates": {"FastImagePull": True}, **storage},
    }


def render_node_config(node_config: dict[str, Any]) -> str:
    """Return a NodeConfig as YAML, the form that Karpenter takes."""
    return yaml.safe_dump(node_config, sort_keys=False)


def render_mime_node_config(node_config: dict[str, Any]) -> str:
    """Return a NodeConfig as one part of a MIME message, the form that managed node groups take.

    EKS adds a part of its own to the message.
    """
    part = EmailMessage()
    part.set_content(render_node_config(node_config))
    part.replace_header("Content-Type", "application/node.eks.aws")
    del part["MIME-Version"]
    message = EmailMessage()
    message["MIME-Version"] = "1.0"
    message.make_mixed(boundary="BOUNDARY")
    message.attach(part)
    return message.as_string()
