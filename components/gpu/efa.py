"""What pods of a job on several nodes need to talk fast: EFA's security group, placement groups and device plugin."""

import pulumi
import pulumi_aws as aws

from gpu_blueprint.catalog import namespaces
from gpu_blueprint.catalog.versions import EFA_PLUGIN
from gpu_blueprint.config import Pool, StackConfig

from ..cluster.addons import EVERYWHERE
from ..helm import chart_release
from ..network.network import Network

EFA_TAG = "gpu-blueprint/efa"


class Efa(pulumi.ComponentResource):
    """Made only where a pool has ``multiNode``; ``ready`` is what such pools depend on."""

    ready: list[pulumi.Resource]

    def __init__(
        self,
        name: str,
        config: StackConfig,
        *,
        network: Network,
        after: list[pulumi.Resource],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        super().__init__("gpu-blueprint:components:Efa", name, None, opts)
        child = pulumi.ResourceOptions(parent=self)
        # EFA passes only what a group allows to and from itself; an open egress rule is not enough.
        group = aws.ec2.SecurityGroup(
            f"{name}-group",
            description=f"EFA between nodes of {config.cluster_name}",
            vpc_id=network.vpc_id,
            ingress=[aws.ec2.SecurityGroupIngressArgs(protocol="-1", from_port=0, to_port=0, self=True)],
            egress=[aws.ec2.SecurityGroupEgressArgs(protocol="-1", from_port=0, to_port=0, self=True)],
            tags={"Name": name, EFA_TAG: config.cluster_name},
            opts=child,
        )
        placements = [
            aws.ec2.PlacementGroup(
                f"{name}-{pool.name}", name=placement_group_name(config, pool), strategy="cluster", opts=child
            )
            for pool in config.pools
            if pool.placed
        ]
        plugin = chart_release(
            f"{name}-plugin",
            EFA_PLUGIN,
            namespaces.KUBE_SYSTEM,
            {"tolerations": EVERYWHERE},
            parent=self,
            depends_on=after,
        )
        self.ready = [group, *placements, plugin]
        self.register_outputs({})


def placement_group_name(config: StackConfig, pool: Pool) -> str:
    """The placement group that a pool's node class selects."""
    return f"{config.cluster_name}-{pool.name}"


def security_group_tags(config: StackConfig) -> dict[str, str]:
    """How a node class finds EFA's group."""
    return {EFA_TAG: config.cluster_name}
