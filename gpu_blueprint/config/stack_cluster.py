"""The cluster of a stack, new or existing, and who manages which part of it."""

from ..catalog import namespaces
from .cluster import Cluster
from .existing_cluster import ExistingCluster, SystemPlacement
from .monitoring import InstallMonitoring
from .stack_sections import StackSections


class StackCluster(StackSections):
    """The sections of a stack, and the facts that follow from the mode of its cluster."""

    @property
    def cluster_name(self) -> str:
        """Name of the EKS cluster, and prefix of the names of its resources."""
        return self.cluster.name or f"gpu-{self.environment}"

    @property
    def log_group(self) -> str:
        """Name of the log group for the logs of the control plane; EKS chooses this name."""
        return f"/aws/eks/{self.cluster_name}/cluster"

    @property
    def new_cluster(self) -> Cluster | None:
        """The cluster that the platform makes; None in a cluster that exists."""
        return self.cluster if isinstance(self.cluster, Cluster) else None

    @property
    def existing_cluster(self) -> ExistingCluster | None:
        """The cluster that exists; None if the platform makes it."""
        return self.cluster if isinstance(self.cluster, ExistingCluster) else None

    @property
    def secrets_key_arn(self) -> str | None:
        """The KMS key that the file states for Kubernetes secrets; None in a cluster that exists."""
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
        """ARN of the role of Karpenter's nodes that the file states; None if the platform makes the role."""
        admitted = self.existing_cluster.node_role if self.existing_cluster else None
        return admitted or self.iam.roles.get("nodes")

    @property
    def gpu_operator_namespace(self) -> str:
        """The namespace of the GPU Operator, whether the platform or the cluster's owner installs the operator."""
        return self.existing_cluster.gpu_operator_namespace if self.existing_cluster else namespaces.GPU_OPERATOR

    @property
    def system_node_count(self) -> int:
        """Number of system nodes: as the file states, else one more with monitoring; 0 in an existing cluster."""
        if not self.new_cluster:
            return 0
        return self.new_cluster.system_nodes.count or (3 if isinstance(self.monitoring, InstallMonitoring) else 2)

    @property
    def system_types(self) -> list[str]:
        """Instance types of the system nodes; none in an existing cluster, which has its own."""
        return list(self.new_cluster.system_nodes.instance_types) if self.new_cluster else []

    @property
    def system_placement(self) -> SystemPlacement | None:
        """The nodes of an existing cluster on which the platform's pods run; None if the platform makes them."""
        return self.existing_cluster.system_nodes if self.existing_cluster else None
