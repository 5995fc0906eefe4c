"""Nodes of managed node groups, which EKS keeps running without Karpenter."""

from collections.abc import Iterator
from itertools import cycle, islice

from gpu_blueprint.catalog import Instance, find_instance

from .kube import KubeClient
from .scene import Manifest, NodeGroup, Scene

_RESERVED = 0.9
"""Share of the memory that a kubelet leaves to pods."""


def join_node_groups(kube: KubeClient, scene: Scene) -> None:
    """Create every node of the scene's managed node groups; kwok makes them Ready."""
    for group in scene.node_groups:
        for node in build_nodes(group, scene.region):
            kube.create(node)


def build_nodes(group: NodeGroup, region: str) -> Iterator[Manifest]:
    """Yield the nodes of a group, spread over its zones."""
    row = find_instance(group.instance_type)
    for index, zone in enumerate(islice(cycle(group.zones), group.count)):
        name = f"{group.name}-{index}.{region}.compute.internal"
        labels = {
            **group.labels,
            "eks.amazonaws.com/nodegroup": group.name,
            "kubernetes.io/arch": row.arch,
            "kubernetes.io/hostname": name,
            "kubernetes.io/os": "linux",
            "node.kubernetes.io/instance-type": row.instance_type,
            "topology.kubernetes.io/region": region,
            "topology.kubernetes.io/zone": zone,
        }
        capacity = {**_describe_capacity(row), **group.devices}
        yield {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": name, "labels": labels, "annotations": {"kwok.x-k8s.io/node": "fake"}},
            "spec": {"taints": [dict(taint) for taint in group.taints]},
            "status": {"capacity": capacity, "allocatable": capacity},
        }


def _describe_capacity(row: Instance) -> dict[str, str]:
    memory = f"{int(row.memory_mib * _RESERVED)}Mi"
    return {"cpu": str(row.vcpu), "memory": memory, "ephemeral-storage": "45Gi", "pods": "110"}
