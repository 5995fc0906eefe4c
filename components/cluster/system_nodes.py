"""The EKS managed node group that runs Karpenter and the operators, but no pods of tenants."""

import pulumi
import pulumi_aws as aws

from gpu_blueprint.catalog import find_instance
from gpu_blueprint.catalog.system_nodes import SYSTEM_NODE_LABELS, SYSTEM_NODE_TAINT
from gpu_blueprint.config import StackConfig
from gpu_blueprint.config.cluster import SYSTEM_DISK_GIB
from gpu_blueprint.config.cluster import SystemNodes as StatedNodes
from gpu_blueprint.subjects.images.cache_rights import build_cache_policies

from ..arguments import Options, Resources
from ..network.network import Network, select_stable_subnets
from ..pools.nodeadm import build_node_config, render_user_data
from .cluster import AnyCluster
from .managed_nodes import build_fixed_size, build_node_repair, build_taint, make_launch_template
from .roles import NODE_POLICIES, ServiceRole, build_service_trust


class SystemNodes(pulumi.ComponentResource):
    """Two or more nodes without GPUs, in two or more zones.

    ``group`` is the node group. Static GPU pools use ``role`` for their nodes too.
    """

    group: aws.eks.NodeGroup
    role: ServiceRole

    def __init__(
        self,
        name: str,
        config: StackConfig,
        nodes: StatedNodes,
        *,
        network: Network,
        cluster: AnyCluster,
        depends_on: Resources,
        opts: Options = None,
    ) -> None:
        super().__init__("gpu-blueprint:components:SystemNodes", name, None, opts)
        self.role = ServiceRole(
            name,
            config,
            trust=build_service_trust("ec2.amazonaws.com"),
            managed_policies=NODE_POLICIES,
            own_policies=build_cache_policies(config),
            opts=pulumi.ResourceOptions(parent=self),
        )
        template = make_launch_template(
            f"{name}-template",
            f"{name}-template-",
            {**config.lasting_tags, "Name": name},
            disk_gib=SYSTEM_DISK_GIB,
            user_data=render_user_data(config, None, build_node_config(config, None)),
            kms_key=config.encryption.volumes_key,
            parent=self,
        )
        needed = [*cluster.made, network, *self.role.attachments, *depends_on]
        self.group = self._make_group(name, config, nodes, network, template, needed)
        self.register_outputs({})

    def _make_group(
        self,
        name: str,
        config: StackConfig,
        nodes: StatedNodes,
        network: Network,
        template: aws.ec2.LaunchTemplate,
        depends_on: Resources,
    ) -> aws.eks.NodeGroup:
        is_arm = find_instance(nodes.instance_types[0]).arch == "arm64"
        return aws.eks.NodeGroup(
            f"{name}-group",
            cluster_name=config.cluster_name,
            node_group_name_prefix=f"{name[:36]}-",
            node_role_arn=self.role.arn_in_aws,
            subnet_ids=select_stable_subnets(network),
            instance_types=list(nodes.instance_types),
            ami_type="AL2023_ARM_64_STANDARD" if is_arm else "AL2023_x86_64_STANDARD",
            version=config.cluster.kubernetes_version,
            release_version=config.cluster.release.system_node_release,
            capacity_type="ON_DEMAND",
            scaling_config=build_fixed_size(config.system_node_count),
            update_config={"max_unavailable": 1},
            node_repair_config=build_node_repair(config),
            labels=dict(SYSTEM_NODE_LABELS),
            taints=[build_taint(SYSTEM_NODE_TAINT)],
            launch_template={"id": template.id, "version": template.latest_version.apply(str)},
            opts=pulumi.ResourceOptions(parent=self, depends_on=list(depends_on)),
        )
