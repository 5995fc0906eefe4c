"""A pool of fixed size: an EKS managed node group, for those who want no alpha API of Karpenter."""

from email.message import EmailMessage
from typing import Any

import pulumi
import pulumi_aws as aws
import yaml

from gpu_blueprint.config import Pool, StackConfig

from ..cluster.system_nodes import SystemNodes, fixed_size, launch_template, node_repair
from ..network.network import Network, subnets_in
from .node_class import node_config
from .node_pool import node_labels, node_taints

_EFFECTS = {"NoSchedule": "NO_SCHEDULE", "PreferNoSchedule": "PREFER_NO_SCHEDULE", "NoExecute": "NO_EXECUTE"}


class StaticNodes(pulumi.ComponentResource):
    """The same labels, taints and sharing as a NodePool's nodes, but always on."""

    def __init__(
        self,
        name: str,
        config: StackConfig,
        pool: Pool,
        *,
        network: Network,
        system: SystemNodes,
        after: list[pulumi.Resource],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        super().__init__("gpu-blueprint:components:StaticNodes", name, None, opts)
        local_nvme = config.keeps_images_on_nvme(pool)
        template = launch_template(
            f"{name}-template",
            {**config.node_tags(pool), "Name": f"{config.cluster_name}-{pool.name}"},
            disk_gib=pool.disk.size_gib,
            fast=not local_nvme,
            user_data=mime_user_data(node_config(raid=local_nvme)),
            parent=self,
        )
        aws.eks.NodeGroup(
            f"{name}-group",
            cluster_name=config.cluster_name,
            node_group_name_prefix=f"{pool.name[:36]}-",
            node_role_arn=system.role.role.arn,
            subnet_ids=subnets_in(network, config.zones_of(pool)),
            instance_types=[row.instance_type for row in config.instances_of(pool)],
            ami_type=_ami_type(config, pool),
            version=config.cluster.kubernetes_version,
            release_version=config.cluster.release.system_node_release,
            capacity_type="SPOT" if pool.purchase == ["spot"] else "ON_DEMAND",
            scaling_config=fixed_size(pool.static_nodes or 0),
            node_repair_config=node_repair(config),
            labels=node_labels(pool),
            taints=[_taint(one) for one in node_taints(pool)],
            launch_template={"id": template.id, "version": template.latest_version.apply(str)},
            opts=pulumi.ResourceOptions(parent=self, depends_on=[system.group, *after]),
        )
        self.register_outputs({})


def _ami_type(config: StackConfig, pool: Pool) -> str:
    return "AL2023_ARM_64_NVIDIA" if config.instances_of(pool)[0].arch == "arm64" else "AL2023_x86_64_NVIDIA"


def _taint(taint: dict[str, str]) -> aws.eks.NodeGroupTaintArgs:
    return aws.eks.NodeGroupTaintArgs(key=taint["key"], value=taint.get("value"), effect=_EFFECTS[taint["effect"]])


def mime_user_data(config: dict[str, Any]) -> str:
    """Wrap nodeadm's settings as managed node groups want them: one part of a MIME message, which EKS adds its own to."""
    part = EmailMessage()
    part.set_content(yaml.safe_dump(config, sort_keys=False))
    part.replace_header("Content-Type", "application/node.eks.aws")
    del part["MIME-Version"]
    message = EmailMessage()
    message["MIME-Version"] = "1.0"
    message.make_mixed(boundary="BOUNDARY")
    message.attach(part)
    return message.as_string()
