"""EKS add-ons at pinned versions. Their facts: gpu_blueprint/catalog/addons.py."""

import json
from collections.abc import Sequence
from typing import Any

import pulumi
import pulumi_aws as aws

from gpu_blueprint.catalog.addons import (
    COREDNS,
    EBS_CSI_DRIVER,
    FSX_CSI_DRIVER,
    KUBE_PROXY,
    METRICS_SERVER,
    NODE_MONITORING_AGENT,
    STORAGE_ADD_ONS,
    VPC_CNI,
    AddOn,
    PodIdentity,
)
from gpu_blueprint.config import InstallMonitoring, StackConfig

from ..gpu.dcgm_engine import OPERATOR_ENGINE_ADDRESS, operator_runs_dcgm
from ..placement import ON_SYSTEM_NODES, TOLERATE_EVERY_TAINT
from .cluster import Cluster
from .roles import ServiceRole, build_pod_identity_trust


class Addons(pulumi.ComponentResource):
    """A group of EKS add-ons that are installed at the same time; ``installed`` lists them."""

    installed: list[aws.eks.Addon]

    def __init__(
        self,
        name: str,
        config: StackConfig,
        *,
        add_ons: Sequence[AddOn],
        cluster: Cluster,
        depends_on: Sequence[pulumi.Resource] = (),
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        super().__init__("gpu-blueprint:components:Addons", name, None, opts)
        self._prefix = name
        self.installed = [
            self._install(config, add_on, depends_on=[cluster.control_plane, *depends_on]) for add_on in add_ons
        ]
        self.register_outputs({})

    def _install(self, config: StackConfig, add_on: AddOn, *, depends_on: list[pulumi.Resource]) -> aws.eks.Addon:
        role = self._make_role(config, add_on.name, add_on.identity) if add_on.identity else None
        settings = build_settings(config, add_on)
        return aws.eks.Addon(
            f"{self._prefix}-{add_on.name}",
            cluster_name=config.cluster_name,
            addon_name=add_on.name,
            addon_version=add_on.version_for(config.cluster.release.version),
            configuration_values=json.dumps(settings) if settings else None,
            pod_identity_associations=[{"role_arn": role.arn, "service_account": add_on.identity.service_account}]
            if role and add_on.identity
            else None,
            resolve_conflicts_on_create="OVERWRITE",
            resolve_conflicts_on_update="OVERWRITE",
            opts=pulumi.ResourceOptions(
                parent=self, depends_on=[*depends_on, *([role.role, *role.attachments] if role else [])]
            ),
        )

    def _make_role(self, config: StackConfig, add_on: str, identity: PodIdentity) -> ServiceRole:
        return ServiceRole(
            f"{config.cluster_name}-{add_on}",
            config,
            trust=build_pod_identity_trust(config),
            managed_policies=[identity.managed_policy],
            opts=pulumi.ResourceOptions(parent=self),
        )


def build_settings(config: StackConfig, add_on: AddOn) -> dict[str, Any]:
    """Return the add-on's ``configuration_values``: settings that are the same in every stack, and settings of this."""
    return {**add_on.settings, **_build_stack_settings(config, add_on)}


def _build_stack_settings(config: StackConfig, add_on: AddOn) -> dict[str, Any]:
    if add_on is VPC_CNI and (config.tenants or isinstance(config.monitoring, InstallMonitoring)):
        # Without this setting the cluster accepts NetworkPolicies and enforces none of them. The enforcing mode stays
        # "standard": a new pod has no limits until the agent has its policies. The mode "strict" would cut off every
        # pod of the platform until somebody writes policies for each, CoreDNS and the operators included.
        # Source: EKS user guide, cni-network-policy-configure.
        return {"enableNetworkPolicy": "true"}
    if add_on is EBS_CSI_DRIVER:
        # Without the region, the controller asks for it where it may not.
        return {"controller": {"region": config.region, **ON_SYSTEM_NODES}}
    if add_on in STORAGE_ADD_ONS:
        region = {"region": config.region} if add_on is FSX_CSI_DRIVER else {}
        return {"controller": {**region, **ON_SYSTEM_NODES}}
    if add_on in (COREDNS, METRICS_SERVER):
        return ON_SYSTEM_NODES
    if add_on is KUBE_PROXY and config.cluster.node_local_dns:
        # EKS's default, stated because NodeLocal DNSCache depends on it: with IPVS, kube-proxy itself would hold the
        # address of kube-dns on every node.
        return {"mode": "iptables"}
    if add_on is NODE_MONITORING_AGENT:
        return _build_agent_settings(config)
    return {}


def _build_agent_settings(config: StackConfig) -> dict[str, Any]:
    """Return the node monitoring agent's settings: it reads the GPU Operator's DCGM engine, or runs its own.

    See docs/decisions/0003-one-dcgm-engine-per-node.md. Without tolerations the agent's own engine would miss every
    tainted node.
    """
    if operator_runs_dcgm(config):
        address = {"dcgmAddress": OPERATOR_ENGINE_ADDRESS, "dnsPolicy": "ClusterFirstWithHostNet"}
        return {"dcgmAgent": {"enabled": False}, "nodeAgent": address}
    return {"dcgmAgent": {"enabled": True, "tolerations": TOLERATE_EVERY_TAINT}}
