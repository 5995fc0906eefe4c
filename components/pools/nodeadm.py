"""User data of AL2023 nodes: scripts for the container runtime and Lustre, and the NodeConfig for nodeadm."""

from email.message import EmailMessage
from typing import Any

from gpu_blueprint.catalog.node_room import reserve_memory_mib
from gpu_blueprint.config import CpuPool, Pool, StackConfig
from gpu_blueprint.storage.drivers import mounts_lustre
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

INSTALL_LUSTRE_CLIENT = """#!/bin/bash
timeout 180 dnf install --assumeyes lustre-client \\
  || echo "no lctl: Lustre ignores the parameters of its servers" >&2
"""
"""Script that installs Lustre's programs, from the repository of the release that the AMI names.

The kernel of AL2023 has the modules of Lustre 2.15, and the container of the CSI driver has ``mount.lustre``. The
kernel calls ``/usr/sbin/lctl`` of the node for each parameter that the servers send, and AMIs of EKS have none. A node
without a way to the repository joins nevertheless, because its pods can mount. Lines stay below 78 characters, so that
the MIME part is plain text.

Sources: amazonlinux/amazon-linux-2023#723 (modules in the kernel); kubernetes-sigs/aws-fsx-csi-driver#436 and pull 460
(lctl); awslabs/amazon-eks-ami pull 2696 (its maintainers name the user data as the place).
"""


def build_kubelet(pool: Pool) -> dict[str, Any]:
    """Return kubelet's settings: the limit of pods, and the memory that kubelet keeps for so many pods.

    The memory is stated, because nodeadm and Karpenter count AL2023's from the addresses of the instance type, whatever
    ``maxPods`` says. Kubelet merges it with the CPU and storage that the AMI reserves.
    """
    return {"maxPods": pool.max_pods, "kubeReserved": {"memory": f"{reserve_memory_mib(pool.max_pods)}Mi"}}


def build_node_config(pool: Pool) -> dict[str, Any] | None:
    """Return a NodeConfig with fast image pull, or None; a node class states the rest for nodes of Karpenter."""
    return _build_node_config({"featureGates": {"FastImagePull": True}}) if pool.parallel_pull else None


def _build_node_config(spec: dict[str, Any]) -> dict[str, Any]:
    return {"apiVersion": "node.eks.aws/v1alpha1", "kind": "NodeConfig", "spec": spec}


def build_static_node_config(pool: Pool, *, raid: bool) -> dict[str, Any]:
    """Return the NodeConfig of static nodes, which have no node class.

    Args:
        raid: Make the local NVMe disks one volume, as ``instanceStorePolicy`` does on Karpenter's nodes.
    """
    config = build_node_config(pool) or _build_node_config({})
    config["spec"]["kubelet"] = {"config": build_kubelet(pool)}
    if raid:
        config["spec"]["instance"] = {"localStorage": {"strategy": "RAID0"}}
    return config


def render_user_data(config: StackConfig, pool: Pool | CpuPool, node_config: dict[str, Any] | None) -> str | None:
    """Return a pool's user data as a MIME message: scripts that cloud-init runs before nodeadm, and the NodeConfig.

    Karpenter and EKS each add a part of their own. None if the nodes need neither.
    """
    parts = [] if isinstance(pool, CpuPool) else [("text/x-shellscript", CLOSE_GPU_ENVIRONMENT)]
    if mounts_lustre(config, pool):
        parts.append(("text/x-shellscript", INSTALL_LUSTRE_CLIENT))
    if node_config:
        parts.append(("application/node.eks.aws", write_yaml(node_config)))
    if not parts:
        return None
    message = EmailMessage()
    message["MIME-Version"] = "1.0"
    message.make_mixed(boundary="BOUNDARY")
    for part in parts:
        message.attach(_build_part(*part))
    return message.as_string()


def _build_part(content_type: str, content: str) -> EmailMessage:
    part = EmailMessage()
    part.set_content(content)
    part.replace_header("Content-Type", content_type)
    del part["MIME-Version"]
    return part
