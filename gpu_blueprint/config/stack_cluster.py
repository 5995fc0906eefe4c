"""Facts about a stack's cluster that depend on whether it is new or exists: names, and who manages which part."""

from ..catalog import namespaces
from .cluster import Cluster
from .existing_cluster import ExistingCluster, SystemPlacement
from .monitoring import InstallMonitoring
from .stack_sections import StackSections


class StackCluster(StackSections):
    """The sections of a stack, and the facts that follow from the mode of its cluster."""

    @property
    def cluster_name(self) -> str:
        """Name of the EKS cluster, with which the names of its resources begin."""
        return self.cluster.name or f"gpu-{self.environment}"

    @property
    def log_group(self) -> str:
        """Name of the log group for the control plane's logs; EKS chooses this name."""
        return f"/aws/eks/{self.cluster_name}/cluster"

    @property
    def new_cluster(self) -> Cluster | None:
        """The cluster section if the platform makes the cluster; None if the cluster exists."""
        return self.cluster if isinstance(self.cluster, Cluster) else None

    @property
    def existing_cluster(self) -> ExistingCluster | None:
        """The cluster section if the cluster exists; None if the platform makes the cluster."""
        return self.cluster if isinstance(self.cluster, ExistingCluster) else None

    @property
    def secrets_key_arn(self) -> str | None:
        """ARN of the KMS key for Kubernetes secrets; None if the file states none, or if the cluster exists."""
        return self.new_cluster.secrets_key_arn if self.new_cluster else None

    @property
    def installs_karpenter(self) -> bool:
        """True if the platform installs Karpenter; False if it uses the Karpenter of an existing cluster."""
        return not self.existing_cluster or self.existing_cluster.karpenter == "install"

    @property
    def manages_addons(self) -> bool:
        """True if the platform installs EKS add-ons."""
        return not self.existing_cluster or self.existing_cluster.addons == "manage"

    @property
    def manages_access(self) -> bool:
        """True if the platform makes access entries."""
        return not self.existing_cluster or self.existing_cluster.access == "manage"

    @property
    def node_role_arn(self) -> str | None:
        """ARN of the IAM role for Karpenter's nodes, if the file states it; None if the platform makes the role."""
        admitted = self.existing_cluster.node_role if self.existing_cluster else None
        return admitted or self.iam.roles.get("nodes")

    @property
    def gpu_operator_namespace(self) -> str:
        """Namespace of the GPU Operator; the platform or the cluster's owner has installed the operator there."""
        return self.existing_cluster.gpu_operator_namespace if self.existing_cluster else namespaces.GPU_OPERATOR

    @property
    def system_node_count(self) -> int:
        """Number of system nodes: from the file, else 3 if the platform installs monitoring, else 2.

        0 in an existing cluster.
        """
        if not self.new_cluster:
            return 0
        return self.new_cluster.system_nodes.count or (3 if isinstance(self.monitoring, InstallMonitoring) else 2)

    @property
    def system_types(self) -> list[str]:
        """Instance types of the system nodes that the platform makes; none in an existing cluster."""
        return list(self.new_cluster.system_nodes.instance_types) if self.new_cluster else []

    @property
    def system_placement(self) -> SystemPlacement | None:
        """The existing cluster's nodes for the platform's pods; None if the platform makes the cluster."""
        return self.existing_cluster.system_nodes if self.existing_cluster else None
