"""The image that the nodes of a pool run, in words."""

from ...config import Pool, StackConfig


def name_image(stack: StackConfig, pool: Pool) -> str:
    """Name family and release; a managed node group runs the release that the catalogue pins for the cluster."""
    if pool.static_nodes:
        return f"{pool.ami.family} of EKS, release {stack.cluster.release.system_node_release}"
    return pool.ami.alias
