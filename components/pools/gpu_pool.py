"""One GPU pool: the node class, node pool and overlays that Karpenter works from."""

import pulumi
import pulumi_kubernetes as k8s

from gpu_blueprint.config import Pool, StackConfig

from .node_class import node_class_spec
from .node_pool import node_overlay_specs, node_pool_spec, pool_labels

_SLOW_DELETE = pulumi.CustomTimeouts(delete="45m")
"""A node class waits for its nodes, and nodes for their pods."""


class GpuPool(pulumi.ComponentResource):
    """A NodePool with its EC2NodeClass and, where nodes hand out something else than EC2 says, NodeOverlays."""

    node_pool: k8s.apiextensions.CustomResource

    def __init__(
        self,
        name: str,
        config: StackConfig,
        pool: Pool,
        *,
        after: list[pulumi.Resource],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        super().__init__("gpu-blueprint:components:GpuPool", name, None, opts)
        node_class = k8s.apiextensions.CustomResource(
            f"{name}-node-class",
            api_version="karpenter.k8s.aws/v1",
            kind="EC2NodeClass",
            metadata={"name": pool.name},
            spec=node_class_spec(config, pool),
            opts=pulumi.ResourceOptions(parent=self, depends_on=after, custom_timeouts=_SLOW_DELETE),
        )
        overlays = [
            k8s.apiextensions.CustomResource(
                f"{name}-overlay-{devices}",
                api_version="karpenter.sh/v1alpha1",
                kind="NodeOverlay",
                metadata={"name": f"{pool.name}-{devices}-gpu"},
                spec=spec,
                opts=pulumi.ResourceOptions(parent=self, depends_on=after),
            )
            for devices, spec in node_overlay_specs(config, pool).items()
        ]
        self.node_pool = k8s.apiextensions.CustomResource(
            f"{name}-node-pool",
            api_version="karpenter.sh/v1",
            kind="NodePool",
            metadata={"name": pool.name, "labels": pool_labels(pool)},
            spec=node_pool_spec(config, pool),
            opts=pulumi.ResourceOptions(parent=self, depends_on=[node_class, *overlays], custom_timeouts=_SLOW_DELETE),
        )
        self.register_outputs({"nodePool": pool.name})
