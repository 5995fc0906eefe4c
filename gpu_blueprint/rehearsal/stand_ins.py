"""The parts of a cluster that exists which nobody rehearses: a rehearsal knows them only from the stack file."""

from collections.abc import Iterator
from typing import Any

from lab.scene import Manifest

from ..catalog import namespaces
from ..config import ExistingCluster, StackConfig
from ..config.monitoring import ExistingMonitoring

NODE_TYPE, NODE_COUNT = "m7i.xlarge", 3
"""Nodes that stand in for those of a cluster that exists."""


def list_stand_ins(config: StackConfig) -> list[str]:
    """Return a sentence for each part of the owner's cluster, with what the rehearsal took for it."""
    return [*_describe(config.existing_cluster)] if config.existing_cluster else []


def _describe(cluster: ExistingCluster) -> Iterator[str]:
    labels = [f"{key}={value}" for key, value in cluster.system_nodes.labels.items()]
    taints = [f"{taint.key}:{taint.effect}" for taint in cluster.system_nodes.taints]
    described = f" with {', '.join([*labels, *taints])}" if labels or taints else ""
    yield f"the cluster's nodes are stood in for by {NODE_COUNT} × {NODE_TYPE}{described}"
    if cluster.karpenter == "existing":
        overlays = "on" if cluster.has_overlays else "off"
        yield f"the cluster's Karpenter is stood in for by one with default settings and NodeOverlay {overlays}"
    if cluster.gpu_operator == "existing":
        yield "the cluster's GPU Operator is taken to read the ConfigMaps of the platform, and to report every slice"
    yield "nothing else of the cluster is there: no NodePools, webhooks, quotas or pods of its owner"


def build_karpenter_values(config: StackConfig) -> dict[str, Any]:
    """Return the values of a Karpenter that the cluster has, with the feature gates that the stack file states."""
    gates = {"nodeOverlay": config.cluster.has_overlays, "nodeRepair": config.cluster.node_repair}
    named = {"clusterName": config.cluster_name, "interruptionQueue": config.cluster_name}
    return {"replicas": 2, "settings": {**named, "featureGates": {**gates, "reservedCapacity": True}}}


def list_owned(config: StackConfig) -> Iterator[Manifest]:
    """Yield the objects of the cluster's owner without which the API server would refuse the platform's."""
    cluster = config.existing_cluster
    found = {
        config.gpu_operator_namespace: cluster is not None and cluster.gpu_operator == "existing",
        namespaces.MONITORING: cluster is not None and isinstance(config.monitoring, ExistingMonitoring),
    }
    for name in (name for name, is_there in found.items() if is_there):
        yield {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
