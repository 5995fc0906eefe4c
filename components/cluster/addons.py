"""EKS add-ons at pinned versions; those that nodes need to become ready come before the first node."""

import json
from typing import Any

import pulumi
import pulumi_aws as aws

from gpu_blueprint.config import InstallMonitoring, StackConfig

from .cluster import Cluster
from .roles import ServiceRole, pod_identity_trust

EVERYWHERE = [{"operator": "Exists"}]
"""Tolerates every taint: what must run on each node, whatever its pool."""

NODE_ADDONS = ("vpc-cni", "kube-proxy", "eks-pod-identity-agent")
"""DaemonSets without which no node becomes ready."""
CLUSTER_ADDONS = ("coredns", "metrics-server", "aws-ebs-csi-driver", "eks-node-monitoring-agent")
"""Add-ons that need nodes to run on."""


class Addons(pulumi.ComponentResource):
    """A group of add-ons; ``installed`` lists them."""

    installed: list[aws.eks.Addon]

    def __init__(
        self,
        name: str,
        config: StackConfig,
        *,
        addons: tuple[str, ...],
        cluster: Cluster,
        after: list[pulumi.Resource],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        super().__init__("gpu-blueprint:components:Addons", name, None, opts)
        self.installed = []
        for addon in addons:
            role = self._make_role(config, addon)
            values = addon_values(addon, config)
            self.installed.append(
                aws.eks.Addon(
                    f"{name}-{addon}",
                    cluster_name=config.cluster_name,
                    addon_name=addon,
                    addon_version=config.cluster.release.addons[addon],
                    configuration_values=json.dumps(values) if values else None,
                    pod_identity_associations=[{"role_arn": role.arn, "service_account": _SERVICE_ACCOUNTS[addon]}]
                    if role
                    else None,
                    resolve_conflicts_on_create="OVERWRITE",
                    resolve_conflicts_on_update="OVERWRITE",
                    opts=pulumi.ResourceOptions(
                        parent=self,
                        depends_on=[cluster.control_plane, *after, *([role.role, *role.ready] if role else [])],
                    ),
                )
            )
        self.register_outputs({})

    def _make_role(self, config: StackConfig, addon: str) -> ServiceRole | None:
        if addon not in _POLICIES:
            return None
        return ServiceRole(
            f"{config.cluster_name}-{addon}",
            config,
            trust=pod_identity_trust(config),
            managed=[_POLICIES[addon]],
            opts=pulumi.ResourceOptions(parent=self),
        )


_POLICIES = {"aws-ebs-csi-driver": "service-role/AmazonEBSCSIDriverPolicy"}
_SERVICE_ACCOUNTS = {"aws-ebs-csi-driver": "ebs-csi-controller-sa"}


def addon_values(addon: str, config: StackConfig) -> dict[str, Any]:
    """The settings of an add-on; empty where its defaults are right."""
    if addon == "aws-ebs-csi-driver":
        return {"node": {"tolerateAllTaints": True}}
    if addon == "eks-node-monitoring-agent":
        return _node_monitoring(config)
    if addon == "vpc-cni" and isinstance(config.monitoring, InstallMonitoring):
        # Else NetworkPolicies are there and hold nothing back. Source: EKS user guide, cni-network-policy-configure.
        return {"enableNetworkPolicy": "true"}
    return {}


def _node_monitoring(config: StackConfig) -> dict[str, Any]:
    """Where the agent finds DCGM: the GPU Operator's engine if that runs on every GPU node, else an engine of its own.

    See docs/decisions/0003. Without tolerations its own engine would miss every tainted node.
    """
    if operator_runs_dcgm(config):
        address = {
            "dcgmAddress": "nvidia-dcgm.gpu-operator.svc.cluster.local:5555",
            "dnsPolicy": "ClusterFirstWithHostNet",
        }
        return {"dcgmAgent": {"enabled": False}, "nodeAgent": address}
    return {"dcgmAgent": {"enabled": True, "tolerations": EVERYWHERE}}


def operator_runs_dcgm(config: StackConfig) -> bool:
    """Whether the GPU Operator's DCGM serves every GPU node: where no pool keeps its operands off."""
    return not any(pool.profile.operands_off for pool in config.pools)
