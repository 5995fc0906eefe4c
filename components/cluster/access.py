"""Who may use the cluster, as EKS access entries; and the program's own way in."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

import pulumi
import pulumi_aws as aws
import pulumi_kubernetes as k8s

from gpu_blueprint.config import StackConfig, Tenant

from .cluster import Cluster


@dataclass
class Entry:
    """What one IAM principal may do: access policies over the whole cluster, and Kubernetes groups."""

    policies: list[str] = field(default_factory=list)
    groups: list[str] = field(default_factory=list)


class Access(pulumi.ComponentResource):
    """One access entry per principal; ``provider`` reaches the cluster and lives exactly as long as the admins' entries."""

    provider: k8s.Provider

    def __init__(
        self, name: str, config: StackConfig, *, cluster: Cluster, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("gpu-blueprint:components:Access", name, None, opts)
        after = pulumi.ResourceOptions(parent=self, depends_on=[cluster.control_plane])
        admins: list[pulumi.Resource] = []
        for principal, entry in access_entries(config).items():
            short = principal.split("::", 1)[1]
            made = aws.eks.AccessEntry(
                f"{name}-{short}",
                cluster_name=config.cluster_name,
                principal_arn=principal,
                kubernetes_groups=entry.groups,
                type="STANDARD",
                opts=after,
            )
            for policy in entry.policies:
                association = aws.eks.AccessPolicyAssociation(
                    f"{name}-{short}-{policy}",
                    cluster_name=config.cluster_name,
                    principal_arn=principal,
                    policy_arn=f"arn:aws:eks::aws:cluster-access-policy/{policy}",
                    access_scope={"type": "cluster"},
                    opts=pulumi.ResourceOptions(parent=self, depends_on=[made]),
                )
                if policy == ADMIN:
                    admins.append(association)
        self.provider = k8s.Provider(
            f"{name}-kubernetes",
            kubeconfig=cluster.control_plane.kubeconfig_json,
            # Constant, so that a kubeconfig that is not known yet does not plan the replacement of everything inside.
            cluster_identifier=config.cluster_name,
            enable_server_side_apply=True,
            opts=pulumi.ResourceOptions(parent=self, depends_on=[*admins, *cluster.reachable]),
        )
        self.register_outputs({})


ADMIN = "AmazonEKSClusterAdminPolicy"
VIEW = "AmazonEKSViewPolicy"


def tenant_group(tenant: Tenant) -> str:
    """The Kubernetes group of a tenant's members."""
    return f"tenant-{tenant.name}"


def access_entries(config: StackConfig) -> dict[str, Entry]:
    """Principal → what it may do; one that is named in several places gets one entry with everything."""
    entries: defaultdict[str, Entry] = defaultdict(Entry)
    for principal, policy in _policies(config):
        entries[principal].policies.append(policy)
    for tenant in config.tenants:
        for principal in tenant.members:
            entries[principal].groups.append(tenant_group(tenant))
    return dict(entries)


def _policies(config: StackConfig) -> Iterator[tuple[str, str]]:
    yield from ((principal, ADMIN) for principal in config.cluster.admins)
    yield from ((principal, VIEW) for principal in config.cluster.viewers)
