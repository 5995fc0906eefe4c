"""The EKS control plane, with nothing left to choice at run time."""

from collections.abc import Mapping

import pulumi
import pulumi_aws as aws
import pulumi_eks as eks

from blueprint.config import PublicApi, StackConfig

from .network import Network
from .roles import ServiceRole, service_trust


class Cluster(pulumi.ComponentResource):
    """The control plane; ``control_plane`` is what everything inside the cluster depends on."""

    control_plane: eks.Cluster

    def __init__(
        self, name: str, config: StackConfig, *, network: Network, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("gpu-blueprint:components:Cluster", name, None, opts)
        child = pulumi.ResourceOptions(parent=self)
        logs = aws.cloudwatch.LogGroup(
            f"{name}-logs",
            name=f"/aws/eks/{config.cluster_name}/cluster",
            retention_in_days=config.cluster.log_retention_days,
            opts=child,
        )
        role = ServiceRole(
            f"{name}-control-plane",
            config,
            trust=service_trust("eks.amazonaws.com"),
            managed=["AmazonEKSClusterPolicy"],
            opts=child,
        )
        api = config.cluster.api
        public = isinstance(api, PublicApi)
        self.control_plane = eks.Cluster(
            f"{name}-eks",
            name=config.cluster_name,
            version=config.cluster.kubernetes_version,
            vpc_id=network.vpc_id,
            subnet_ids=network.private_subnet_ids,
            service_role=role.role,
            authentication_mode=eks.AuthenticationMode.API,
            endpoint_private_access=True,
            endpoint_public_access=public,
            public_access_cidrs=list(api.allowed_cidrs) if isinstance(api, PublicApi) else None,
            encryption_config_key_arn=config.cluster.secrets_key_arn or self._make_key(name),
            enabled_cluster_log_types=list(config.cluster.logs),
            kubernetes_service_ip_address_range=config.cluster.service_cidr,
            deletion_protection=config.cluster.deletion_protection,
            upgrade_policy={"support_type": "STANDARD"},
            # What pulumi-eks would add by itself, at versions and rules of its own choosing.
            bootstrap_self_managed_addons=False,
            coredns_addon_options={"enabled": False},
            kube_proxy_addon_options={"enabled": False},
            use_default_vpc_cni=True,
            create_oidc_provider=False,
            create_instance_role=False,
            skip_default_node_group=True,
            skip_default_security_groups=True,
            opts=pulumi.ResourceOptions(
                parent=self,
                depends_on=[network, logs, *role.ready],
                protect=config.cluster.deletion_protection,
                transforms=[without_creator_admin],
            ),
        )
        self.register_outputs({"name": config.cluster_name})

    def _make_key(self, name: str) -> pulumi.Output[str]:
        key = aws.kms.Key(
            f"{name}-secrets",
            description=f"Kubernetes secrets of {name}",
            enable_key_rotation=True,
            deletion_window_in_days=30,
            opts=pulumi.ResourceOptions(parent=self),
        )
        return key.arn


def without_creator_admin(args: pulumi.ResourceTransformArgs) -> pulumi.ResourceTransformResult | None:
    """Keep EKS from making the creator an admin for ever, which pulumi-eks 4.4 asks for and offers no argument against.

    The deploying role gets its access entry from ``admins`` like everybody else; with both, EKS refuses the second.
    """
    if args.type_ != "aws:eks/cluster:Cluster":
        return None
    access = args.props.get("accessConfig")
    given = access if isinstance(access, Mapping) else {}
    return pulumi.ResourceTransformResult(
        props={**args.props, "accessConfig": {**given, "bootstrapClusterCreatorAdminPermissions": False}},
        opts=args.opts,
    )
