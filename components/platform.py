"""The whole platform, in the order in which it is built: the table of contents."""

from collections.abc import Mapping

import pulumi
import pulumi_aws as aws
import pulumi_eks as eks

from gpu_blueprint.config import StackConfig

from .billing.billing import Billing
from .cluster.access import Access
from .cluster.addons import CLUSTER_ADDONS, NODE_ADDONS, Addons
from .cluster.cluster import Cluster
from .cluster.storage import Storage
from .cluster.system_nodes import SystemNodes
from .gpu.efa import Efa
from .gpu.gpu_operator import GpuOperator, operator_profiles
from .karpenter.karpenter import Karpenter
from .monitoring.monitoring import Monitoring
from .network.network import Network
from .pools.gpu_pool import GpuPool
from .pools.headroom import HeadroomSpace
from .pools.pool_hours import PoolHours
from .pools.static_nodes import StaticNodes
from .services.gpu_autoscaler import GpuAutoscaler
from .services.keda import Keda
from .tenants.tenant_space import TenantSpace


class Platform(pulumi.ComponentResource):
    """One environment: network, cluster, Karpenter, GPU pools and tenants."""

    cluster_name: str
    kubeconfig: pulumi.Output[str]

    def __init__(self, config: StackConfig, *, opts: pulumi.ResourceOptions | None = None) -> None:
        name = self.cluster_name = config.cluster_name
        super().__init__("gpu-blueprint:components:Platform", name, None, opts)
        cloud_providers = self._make_cloud_providers(config)
        cloud = pulumi.ResourceOptions(parent=self, providers=cloud_providers)
        network = Network(f"{name}-network", config, opts=cloud)
        cluster = Cluster(f"{name}-cluster", config, network=network, opts=cloud)
        access = Access(f"{name}-access", config, cluster=cluster, opts=cloud)
        node_addons = Addons(f"{name}-node-addons", config, addons=NODE_ADDONS, cluster=cluster, after=[], opts=cloud)
        first: list[pulumi.Resource] = [*node_addons.installed]
        nodes = SystemNodes(f"{name}-system", config, network=network, cluster=cluster, first=first, opts=cloud)
        addons = Addons(
            f"{name}-addons", config, addons=CLUSTER_ADDONS, cluster=cluster, after=[nodes.group], opts=cloud
        )
        ready: list[pulumi.Resource] = [nodes.group, *addons.installed]

        both = pulumi.ResourceOptions(parent=self, providers=[*cloud_providers, access.provider])
        inside = pulumi.ResourceOptions(parent=self, providers=[access.provider])
        Storage(f"{name}-storage", after=ready, opts=inside)
        karpenter = Karpenter(f"{name}-karpenter", config, cluster=cluster, after=ready, opts=both)
        launchers = [karpenter.release, *self._make_operators(config, network, after=ready, opts=both)]
        self._make_static_pools(config, network, nodes, after=launchers, opts=cloud)
        pools = self._make_pools(config, after=launchers, opts=inside)
        scaler = [Keda(f"{name}-keda", config, after=launchers, opts=inside).release] if config.has_keda else []
        # Scalers in tenants' namespaces end while KEDA is there to let them go.
        spaces = self._make_tenants(config, pools, after=[*ready, *scaler], opts=inside)
        if any(pool.headroom for pool in config.pools):
            HeadroomSpace(f"{name}-headroom", config, after=[*ready, *pools.values()], opts=inside)
        self._make_autoscalers(config, spaces, opts=inside)

        if config.billing and config.monthly_budget:
            Billing(f"{name}-billing", config, config.billing, usd_per_month=config.monthly_budget, opts=cloud)
        self.kubeconfig = pulumi.Output.secret(cluster.control_plane.kubeconfig_json)
        self.register_outputs({"clusterName": name})

    def _make_operators(
        self, config: StackConfig, network: Network, *, after: list[pulumi.Resource], opts: pulumi.ResourceOptions
    ) -> list[pulumi.Resource]:
        """What makes GPUs of nodes, and before it what watches them; returns what pools wait for."""
        name, made = self.cluster_name, list[pulumi.Resource]()
        if config.monitoring:
            watched = Monitoring(f"{name}-monitoring", config, config.monitoring, after=after, opts=opts)
            made += watched.ready
            after = [*after, *watched.ready]
        if operator_profiles(config):
            made.append(GpuOperator(f"{name}-gpu-operator", config, after=after, opts=opts).release)
        if any(pool.multi_node for pool in config.pools):
            made += Efa(f"{name}-efa", config, network=network, after=after, opts=opts).ready
        return made

    def _make_static_pools(
        self,
        config: StackConfig,
        network: Network,
        nodes: SystemNodes,
        *,
        after: list[pulumi.Resource],
        opts: pulumi.ResourceOptions,
    ) -> None:
        for pool in config.pools:
            if pool.static_nodes:
                StaticNodes(pool.name, config, pool, network=network, system=nodes, after=after, opts=opts)

    def _make_pools(
        self, config: StackConfig, *, after: list[pulumi.Resource], opts: pulumi.ResourceOptions
    ) -> dict[str, pulumi.Resource]:
        """Karpenter's pools and what opens and closes them; returns the NodePools by name."""
        made: dict[str, pulumi.Resource] = {}
        for pool in config.pools:
            if not pool.static_nodes:
                made[pool.name] = GpuPool(pool.name, config, pool, after=after, opts=opts).node_pool
                if pool.hours:
                    PoolHours(pool.name, config, pool, pool.hours, node_pool=made[pool.name], opts=opts)
        return made

    def _make_tenants(
        self,
        config: StackConfig,
        pools: Mapping[str, pulumi.Resource],
        *,
        after: list[pulumi.Resource],
        opts: pulumi.ResourceOptions,
    ) -> dict[str, pulumi.Resource]:
        """Tenants' spaces; returns their namespaces by tenant."""
        made: dict[str, pulumi.Resource] = {}
        for tenant in config.tenants:
            # A destroy then ends a tenant's pods before it drains the pools that they run in.
            used = [pools[name] for name in tenant.gpus if name in pools]
            space = TenantSpace(f"tenant-{tenant.name}", config, tenant, after=[*after, *used], opts=opts)
            made[tenant.name] = space.namespace
        return made

    def _make_autoscalers(
        self, config: StackConfig, spaces: Mapping[str, pulumi.Resource], *, opts: pulumi.ResourceOptions
    ) -> None:
        for service in config.services:
            GpuAutoscaler(
                f"{service.tenant}/{service.name}",
                service,
                deployment=service.name,
                namespace=config.namespace_of(service),
                prometheus=config.prometheus_url,
                monitor_labels=getattr(config.monitoring, "labels", None),
                after=[spaces[service.tenant]],
                opts=opts,
            )

    def _make_cloud_providers(self, config: StackConfig) -> list[pulumi.ProviderResource]:
        """AWS, guarded by account and region; pulumi-eks needs one of its own because default providers are off."""
        child = pulumi.ResourceOptions(parent=self)
        return [
            aws.Provider(
                f"{self.cluster_name}-aws",
                region=config.region,
                allowed_account_ids=[config.account_id],
                default_tags={"tags": config.all_tags},
                opts=child,
            ),
            eks.Provider(f"{self.cluster_name}-eks", opts=child),
        ]
