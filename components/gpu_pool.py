"""One GPU pool: the node class, node pool and overlays that Karpenter works from."""

from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from blueprint.catalog import Instance
from blueprint.config import Pool, StackConfig
from blueprint.config.pools import CAPACITY_ORDER

from .node_class import node_class_spec

GPU_LABEL = "gpu-blueprint/gpu"
PURPOSE_LABEL = "gpu-blueprint/purpose"

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
            metadata={"name": pool.name},
            spec=node_pool_spec(config, pool),
            opts=pulumi.ResourceOptions(parent=self, depends_on=[node_class, *overlays], custom_timeouts=_SLOW_DELETE),
        )
        self.register_outputs({"nodePool": pool.name})


def node_pool_spec(config: StackConfig, pool: Pool) -> dict[str, Any]:
    """The ``spec`` of the NodePool."""
    profile, life = pool.profile, pool.lifecycle
    labels = {GPU_LABEL: pool.model.name, PURPOSE_LABEL: pool.purpose, **profile.node_labels, **pool.labels}
    return {
        "template": {
            "metadata": {"labels": labels},
            "spec": {
                "nodeClassRef": {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": pool.name},
                "requirements": _requirements(config, pool),
                "taints": [dict(profile.taint), *(taint.model_dump(exclude_none=True) for taint in pool.taints)],
                "expireAfter": life.expire_after,
                "terminationGracePeriod": life.termination_grace_period,
            },
        },
        "disruption": {
            "consolidationPolicy": life.consolidation_policy,
            "consolidateAfter": life.consolidate_after,
            "budgets": [budget.model_dump(exclude_none=True) for budget in life.budgets or []],
        },
        # Karpenter counts what the overlay says, so the ceiling is in the names that nodes hand out.
        "limits": {name: str(count) for name, count in profile.ceiling(pool.max_gpus).items()},
    }


def _requirements(config: StackConfig, pool: Pool) -> list[dict[str, Any]]:
    rows = config.instances_of(pool)
    wanted: dict[str, list[str]] = {
        "karpenter.sh/capacity-type": [kind for kind in CAPACITY_ORDER if kind in pool.purchase],
        # By name: GPU labels are ambiguous (a100 is two sizes, gr6 is not category g, fractional types count as none).
        "node.kubernetes.io/instance-type": [row.instance_type for row in rows],
        "topology.kubernetes.io/zone": config.zones_of(pool),
        "kubernetes.io/arch": sorted({row.arch for row in rows}),
        "kubernetes.io/os": ["linux"],
    }
    return [{"key": key, "operator": "In", "values": values} for key, values in wanted.items()]


def node_overlay_specs(config: StackConfig, pool: Pool) -> dict[int, dict[str, Any]]:
    """GPU devices per node → ``spec`` of the overlay for the types with so many; disjoint by pool and instance type."""
    groups: dict[int, list[Instance]] = {}
    for row in config.instances_of(pool):
        if pool.profile.overlay(row):
            groups.setdefault(row.gpu_devices, []).append(row)
    return {
        devices: {
            "weight": 100,
            "requirements": [
                {"key": "karpenter.sh/nodepool", "operator": "In", "values": [pool.name]},
                {
                    "key": "node.kubernetes.io/instance-type",
                    "operator": "In",
                    "values": [row.instance_type for row in rows],
                },
            ],
            "capacity": {name: str(count) for name, count in pool.profile.overlay(rows[0]).items()},
        }
        for devices, rows in groups.items()
    }
