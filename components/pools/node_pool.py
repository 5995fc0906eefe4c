"""The NodePool of a pool and its NodeOverlays: what Karpenter may launch, and what such nodes hand out."""

from typing import Any

from gpu_blueprint.catalog import Instance
from gpu_blueprint.config import Pool, StackConfig
from gpu_blueprint.config.buying import CAPACITY_ORDER
from gpu_blueprint.sharing import POOL_KEY

GPU_LABEL = "gpu-blueprint/gpu"
PURPOSE_LABEL = "gpu-blueprint/purpose"
CHECKPOINTED_LABEL = "gpu-blueprint/checkpointed"


def pool_labels(pool: Pool) -> dict[str, str]:
    """Labels of the NodePool itself, for people and policies: what it is for."""
    return {PURPOSE_LABEL: pool.purpose, CHECKPOINTED_LABEL: "true" if pool.checkpointed else "false"}


def node_labels(pool: Pool) -> dict[str, str]:
    """Labels of the pool's nodes; those of the sharing pick the configs that the GPU Operator applies."""
    own = {POOL_KEY: pool.name, GPU_LABEL: pool.model.name, PURPOSE_LABEL: pool.purpose}
    return {**own, **pool.profile.node_labels, **pool.labels}


def node_taints(pool: Pool) -> list[dict[str, str]]:
    """Taints of the pool's nodes."""
    return [dict(pool.profile.taint), *(taint.model_dump(exclude_none=True) for taint in pool.taints)]


def node_pool_spec(config: StackConfig, pool: Pool) -> dict[str, Any]:
    """The ``spec`` of the NodePool."""
    life = pool.lifecycle
    return {
        "template": {
            "metadata": {"labels": node_labels(pool)},
            "spec": {
                "nodeClassRef": {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": pool.name},
                "requirements": _requirements(config, pool),
                "taints": node_taints(pool),
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
        "limits": {name: str(count) for name, count in pool.profile.ceiling(pool.max_gpus).items()},
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
        if pool.overlay(row):
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
            "capacity": pool.overlay(rows[0]),
        }
        for devices, rows in groups.items()
    }
