"""The managed node group that Karpenter and the operators run on."""

import base64

import pulumi
import pulumi_aws as aws

from gpu_blueprint.catalog import instance
from gpu_blueprint.config import StackConfig
from gpu_blueprint.config.cluster import SYSTEM_DISK_GIB
from gpu_blueprint.config.nodes import FAST_VOLUME

from ..network.network import Network, stable_subnet_ids
from .cluster import Cluster
from .roles import ServiceRole, service_trust

NODE_POLICIES = (
    "AmazonEKSWorkerNodePolicy",
    "AmazonEKS_CNI_Policy",
    "AmazonEC2ContainerRegistryPullOnly",
    "AmazonSSMManagedInstanceCore",
)
"""What every node needs, as Karpenter's getting-started guide lists it."""


class SystemNodes(pulumi.ComponentResource):
    """Two nodes or more in two zones or more, never with GPUs; ``group`` is the node group."""

    group: aws.eks.NodeGroup
    role: ServiceRole

    def __init__(
        self,
        name: str,
        config: StackConfig,
        *,
        network: Network,
        cluster: Cluster,
        first: list[pulumi.Resource],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        super().__init__("gpu-blueprint:components:SystemNodes", name, None, opts)
        child = pulumi.ResourceOptions(parent=self)
        self.role = ServiceRole(
            name, config, trust=service_trust("ec2.amazonaws.com"), managed=NODE_POLICIES, opts=child
        )
        template = launch_template(
            f"{name}-template", {**config.all_tags, "Name": name}, disk_gib=SYSTEM_DISK_GIB, parent=self
        )
        nodes = config.cluster.system_nodes
        arm = instance(nodes.instance_types[0]).arch == "arm64"
        self.group = aws.eks.NodeGroup(
            f"{name}-group",
            cluster_name=config.cluster_name,
            node_group_name_prefix=f"{name[:36]}-",
            node_role_arn=self.role.role.arn,
            subnet_ids=stable_subnet_ids(network),
            instance_types=list(nodes.instance_types),
            ami_type="AL2023_ARM_64_STANDARD" if arm else "AL2023_x86_64_STANDARD",
            version=config.cluster.kubernetes_version,
            release_version=config.cluster.release.system_node_release,
            capacity_type="ON_DEMAND",
            scaling_config=fixed_size(nodes.count),
            update_config={"max_unavailable": 1},
            node_repair_config=node_repair(config),
            launch_template={"id": template.id, "version": template.latest_version.apply(str)},
            opts=pulumi.ResourceOptions(
                parent=self, depends_on=[cluster.control_plane, network, *self.role.ready, *first]
            ),
        )
        self.register_outputs({})


def node_repair(config: StackConfig) -> aws.eks.NodeGroupNodeRepairConfigArgs | None:
    """EKS's own repair of managed nodes, which Karpenter does not do for them."""
    return aws.eks.NodeGroupNodeRepairConfigArgs(enabled=True) if config.cluster.node_repair else None


def fixed_size(nodes: int) -> aws.eks.NodeGroupScalingConfigArgs:
    """A managed group of always so many nodes."""
    return aws.eks.NodeGroupScalingConfigArgs(desired_size=nodes, min_size=nodes, max_size=nodes)


def launch_template(
    name: str,
    tags: dict[str, str],
    *,
    disk_gib: int,
    parent: pulumi.Resource,
    fast: bool = False,
    user_data: str | None = None,
) -> aws.ec2.LaunchTemplate:
    """How nodes of a managed group start: an encrypted disk, IMDSv2 that pods cannot reach, tags on all they make."""
    disk = aws.ec2.LaunchTemplateBlockDeviceMappingEbsArgs(
        volume_size=disk_gib,
        volume_type="gp3",
        encrypted="true",
        delete_on_termination="true",
        iops=FAST_VOLUME["iops"] if fast else None,
        throughput=FAST_VOLUME["throughput"] if fast else None,
    )
    return aws.ec2.LaunchTemplate(
        name,
        name_prefix=f"{name}-",
        block_device_mappings=[aws.ec2.LaunchTemplateBlockDeviceMappingArgs(device_name="/dev/xvda", ebs=disk)],
        metadata_options=aws.ec2.LaunchTemplateMetadataOptionsArgs(
            http_endpoint="enabled", http_tokens="required", http_put_response_hop_limit=1
        ),
        tag_specifications=[
            aws.ec2.LaunchTemplateTagSpecificationArgs(resource_type=kind, tags=tags)
            for kind in ("instance", "volume", "network-interface")
        ],
        user_data=base64.b64encode(user_data.encode()).decode() if user_data else None,
        update_default_version=True,
        opts=pulumi.ResourceOptions(parent=parent),
    )
