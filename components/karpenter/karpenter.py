"""Karpenter: its identity, its queue, its custom resource definitions and its controller."""

from typing import Any

import pulumi
import pulumi_aws as aws
import pulumi_kubernetes as k8s

from gpu_blueprint.catalog import namespaces
from gpu_blueprint.catalog.versions import karpenter_chart, karpenter_crd_chart
from gpu_blueprint.config import StackConfig

from ..cluster.cluster import Cluster
from ..cluster.roles import ServiceRole, pod_identity_trust, service_trust
from ..cluster.system_nodes import NODE_POLICIES
from ..helm import chart_release, overlaid
from .interruption_queue import InterruptionQueue
from .policies import controller_policies

SERVICE_ACCOUNT = "karpenter"


class Karpenter(pulumi.ComponentResource):
    """The controller; ``release`` is what node classes and pools depend on.

    It depends on everything that it needs to drain nodes, so that a destroy removes that last.
    """

    release: k8s.helm.v3.Release

    def __init__(
        self,
        name: str,
        config: StackConfig,
        *,
        cluster: Cluster,
        after: list[pulumi.Resource],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        super().__init__("gpu-blueprint:components:Karpenter", name, None, opts)
        child = pulumi.ResourceOptions(parent=self)
        queue = InterruptionQueue(f"{name}-interruption", config, opts=child)
        nodes = ServiceRole(
            node_role_name(config), config, trust=service_trust("ec2.amazonaws.com"), managed=NODE_POLICIES, opts=child
        )
        entry = aws.eks.AccessEntry(
            f"{name}-nodes",
            cluster_name=config.cluster_name,
            principal_arn=nodes.arn,
            type="EC2_LINUX",
            opts=pulumi.ResourceOptions(parent=self, depends_on=[cluster.control_plane, nodes.role]),
        )
        controller, identity = self._make_identity(name, config, cluster, nodes.arn, queue.arn)
        needed = [*after, *queue.ready, *nodes.ready, *controller.ready, entry, identity]
        version = config.cluster.karpenter_version
        crds = chart_release(
            f"{name}-crd", karpenter_crd_chart(version), namespaces.KUBE_SYSTEM, {}, parent=self, depends_on=needed
        )
        self.release = chart_release(
            f"{name}-controller",
            karpenter_chart(version),
            namespaces.KUBE_SYSTEM,
            karpenter_values(config),
            parent=self,
            depends_on=[crds, *needed],
        )
        self.register_outputs({})

    def _make_identity(
        self, name: str, config: StackConfig, cluster: Cluster, node_role_arn: str, queue_arn: str
    ) -> tuple[ServiceRole, pulumi.Resource]:
        """The controller's role, and what hands it to the controller's pods."""
        child = pulumi.ResourceOptions(parent=self)
        policies = controller_policies(config, node_role_arn=node_role_arn, queue_arn=queue_arn)
        controller = ServiceRole(name, config, trust=pod_identity_trust(config), policies=policies, opts=child)
        identity = aws.eks.PodIdentityAssociation(
            f"{name}-identity",
            cluster_name=config.cluster_name,
            namespace=namespaces.KUBE_SYSTEM,
            service_account=SERVICE_ACCOUNT,
            role_arn=controller.arn,
            opts=pulumi.ResourceOptions(parent=self, depends_on=[cluster.control_plane, controller.role]),
        )
        return controller, identity


def node_role_name(config: StackConfig) -> str:
    """Name of the role that GPU nodes run as; node classes refer to it."""
    return f"{config.cluster_name}-karpenter-nodes"


def karpenter_values(config: StackConfig) -> dict[str, Any]:
    """Values of the controller's chart; the feature gates follow from what the pools need."""
    values = {
        "replicas": 2,
        "serviceAccount": {"name": SERVICE_ACCOUNT},
        "controller": {"resources": {"requests": {"cpu": "500m", "memory": "1Gi"}, "limits": {"memory": "1Gi"}}},
        "settings": {
            "clusterName": config.cluster_name,
            "interruptionQueue": config.cluster_name,
            "eksControlPlane": True,
            "featureGates": {
                "nodeOverlay": any(pool.overlay(row) for pool in config.pools for row in config.instances_of(pool)),
                "reservedCapacity": any("reserved" in pool.purchase for pool in config.pools),
                "nodeRepair": config.cluster.node_repair,
                "spotToSpotConsolidation": False,
                "staticCapacity": False,
            },
        },
    }
    return overlaid(values, config.helm_overrides.karpenter)
