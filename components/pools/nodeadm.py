"""User data of AL2023 nodes: a script for the container runtime, and the NodeConfig that nodeadm reads at boot."""

from email.message import EmailMessage
from typing import Any

from gpu_blueprint.catalog.node_room import reserve_memory_mib
from gpu_blueprint.config import Pool
from gpu_blueprint.yaml_text import write_yaml

CLOSE_GPU_ENVIRONMENT = """#!/bin/bash
nvidia-ctk config --in-place \\
  --set accept-nvidia-visible-devices-envvar-when-unprivileged=false \\
  --set accept-nvidia-visible-devices-as-volume-mounts=false \\
  || shutdown -h now
"""
"""Script that makes the container runtime give GPUs only to pods to which the device plugin gives them.

By default NVIDIA's runtime, which is containerd's default on EKS's GPU images, gives every container the GPUs that its
``NVIDIA_VISIBLE_DEVICES`` names. Images of CUDA set the variable to ``all`` themselves, past every admission policy.
The device plugin hands out GPUs by CDI (GPU Operator 26.7, cdi.enabled), so it needs neither the variable nor volume
mounts. The operator's own pods are privileged, and the runtime still obeys their variable.
A node whose runtime stays open must not join, so the script then stops the node: cloud-init runs the script before
nodeadm starts containerd and kubelet, because nodeadm-run.service is after cloud-final.service.

Sources: NVIDIA/nvidia-container-toolkit internal/config/config.go (the options and their defaults); GPU Operator guide,
"Preventing unprivileged access to GPUs"; NVIDIA/gpu-operator assets/state-*/*daemonset.yaml (``privileged: true``);
awslabs/amazon-eks-ami templates/al2023/runtime/rootfs/etc/systemd/system/nodeadm-run.service.
"""


def build_kubelet(pool: Pool) -> dict[str, Any]:
    """Return kubelet's settings: the limit of pods, and the memory that kubelet keeps for so many pods.

    The memory is stated, because nodeadm and Karpenter count AL2023's from the addresses of the instance type, whatever
    ``maxPods`` says. Kubelet merges it with the CPU and storage that the AMI reserves.
    """
    return {"maxPods": pool.max_pods, "kubeReserved": {"memory": f"{reserve_memory_mib(pool.max_pods)}Mi"}}


def build_node_config() -> dict[str, Any]:
    """Return a NodeConfig with fast image pull; a node class states the rest for nodes of Karpenter.

    nodeadm calls the gate experimental. It has no switch in the stack file, because each node class would drain.
    """
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


def render_user_data(node_config: dict[str, Any]) -> str:
    """Return user data as a MIME message: a script that cloud-init runs before nodeadm, and the NodeConfig.

    Karpenter and EKS each add a part of their own.
    """
    message = EmailMessage()
    message["MIME-Version"] = "1.0"
    message.make_mixed(boundary="BOUNDARY")
    message.attach(_build_part("text/x-shellscript", CLOSE_GPU_ENVIRONMENT))
    message.attach(_build_part("application/node.eks.aws", write_yaml(node_config)))
    return message.as_string()


def _build_part(content_type: str, content: str) -> EmailMessage:
    part = EmailMessage()
    part.set_content(content)
    part.replace_header("Content-Type", content_type)
    del part["MIME-Version"]
    return part
