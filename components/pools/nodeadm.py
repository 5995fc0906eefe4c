"""User data of AL2023 nodes: the NodeConfig that nodeadm reads at boot."""

from email.message import EmailMessage
from typing import Any

import yaml

from gpu_blueprint.catalog.node_room import reserve_memory_mib
from gpu_blueprint.config import Pool


def build_kubelet(pool: Pool) -> dict[str, Any]:
    """Return kubelet's settings: the limit of pods, and the memory that kubelet keeps for so many pods.

    The memory is stated, because nodeadm and Karpenter count AL2023's from the addresses of the instance type, whatever
    ``maxPods`` says. Kubelet merges it with the CPU and storage that the AMI reserves.
    """
    return {"maxPods": pool.max_pods, "kubeReserved": {"memory": f"{reserve_memory_mib(pool.max_pods)}Mi"}}


def build_node_config() -> dict[str, Any]:
    """Return a NodeConfig with fast image pull; a node class states the rest for nodes of Karpenter."""
    return {
        "apiVersion": "node.eks.aws/v1alpha1",
        "kind": "NodeConfig",
        "spec": {"featureGates": {"FastImagePull": True}},
    }


def build_static_node_config(pool: Pool, *, raid: bool) -> dict[str, Any]:
    """Return the NodeConfig of static nodes, which have no node class.

    Args:
        raid: Make the local NVMe disks one volume, as ``instanceStorePolicy`` does on Karpenter's nodes.
    """
    config = build_node_config()
    config["spec"]["kubelet"] = {"config": build_kubelet(pool)}
    if raid:
        config["spec"]["instance"] = {"localStorage": {"strategy": "RAID0"}}
    return config


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
