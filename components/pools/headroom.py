"""Warm capacity: placeholders that hold GPUs for the next pods and give way to them at once.

Karpenter keeps a node for a placeholder as for any pod, and launches one for a placeholder that has lost its place. Why not
Karpenter's own CapacityBuffer: docs/decisions/0012-headroom.md.
"""

from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from gpu_blueprint.catalog import namespaces
from gpu_blueprint.catalog.versions import PAUSE_IMAGE
from gpu_blueprint.config import Headroom, Pool, StackConfig
from gpu_blueprint.sharing import POOL_KEY

from .node_pool import node_taints

PRIORITY = "gpu-headroom"


class HeadroomSpace(pulumi.ComponentResource):
    """One Deployment of placeholders for each pool that has headroom, in a namespace that holds nothing else."""

    def __init__(
        self,
        name: str,
        config: StackConfig,
        *,
        after: list[pulumi.Resource],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        super().__init__("gpu-blueprint:components:HeadroomSpace", name, None, opts)
        first = pulumi.ResourceOptions(parent=self, depends_on=after)
        namespace = k8s.core.v1.Namespace(
            f"{name}-namespace",
            metadata={"name": namespaces.HEADROOM, "labels": {"pod-security.kubernetes.io/enforce": "restricted"}},
            opts=first,
        )
        priority = k8s.scheduling.v1.PriorityClass(
            f"{name}-priority",
            metadata={"name": PRIORITY},
            value=-1000,
            preemption_policy="Never",
            description="Placeholders that keep GPUs warm: every other pod takes their place, they take nobody's.",
            opts=first,
        )
        k8s.core.v1.ResourceQuota(
            f"{name}-quota",
            metadata={"name": "headroom", "namespace": namespaces.HEADROOM},
            spec={"hard": quota_hard(config)},
            opts=pulumi.ResourceOptions(parent=self, depends_on=[namespace]),
        )
        for pool in config.pools:
            if pool.headroom:
                self._make_placeholders(f"{name}-{pool.name}", pool, pool.headroom, after=[namespace, priority])
        self.register_outputs({})

    def _make_placeholders(self, name: str, pool: Pool, room: Headroom, *, after: list[pulumi.Resource]) -> None:
        k8s.apps.v1.Deployment(
            name,
            # Nobody waits for it: at the ceiling, or while the pool is closed, placeholders are pending.
            metadata={
                "name": pool.name,
                "namespace": namespaces.HEADROOM,
                "annotations": {"pulumi.com/skipAwait": "true"},
            },
            spec=deployment_spec(pool, room),
            opts=pulumi.ResourceOptions(parent=self, depends_on=after),
        )


def deployment_spec(pool: Pool, room: Headroom) -> Any:
    """The ``spec`` of the placeholders of a pool."""
    labels = {"app.kubernetes.io/name": "headroom", POOL_KEY: pool.name}
    return {
        "replicas": room.pods,
        "selector": {"match_labels": labels},
        # Beside the old ones there may be no room for new ones.
        "strategy": {"type": "Recreate"},
        "template": {"metadata": {"labels": labels}, "spec": placeholder_spec(pool, room)},
    }


def placeholder_spec(pool: Pool, room: Headroom) -> Any:
    """A pod that asks for what the next one will, does nothing, and ends without a moment's grace."""
    asked = {"cpu": room.cpu, "memory": room.memory, **requested(pool, room)}
    tolerated = [{"key": taint["key"], "operator": "Exists", "effect": taint["effect"]} for taint in node_taints(pool)]
    return {
        "priority_class_name": PRIORITY,
        "termination_grace_period_seconds": 0,
        "node_selector": {POOL_KEY: pool.name},
        "tolerations": tolerated,
        "automount_service_account_token": False,
        "enable_service_links": False,
        "security_context": {
            "run_as_non_root": True,
            "run_as_user": 65535,
            "run_as_group": 65535,
            "seccomp_profile": {"type": "RuntimeDefault"},
        },
        "containers": [
            {
                "name": "placeholder",
                "image": PAUSE_IMAGE,
                "resources": {"requests": asked, "limits": asked},
                "security_context": {
                    "allow_privilege_escalation": False,
                    "read_only_root_filesystem": True,
                    "capabilities": {"drop": ["ALL"]},
                },
            }
        ],
    }


def requested(pool: Pool, room: Headroom) -> dict[str, str]:
    """Extended resource → how many of it one placeholder asks for."""
    return {pool.profile.units[unit]: str(count) for unit, count in pool.by_unit(room.gpus).items() if count}


def quota_hard(config: StackConfig) -> dict[str, str]:
    """What all placeholders ask for together, and not a GPU more."""
    total = dict.fromkeys(config.exposed_resources, 0)
    for pool in config.pools:
        for name, count in (requested(pool, pool.headroom) if pool.headroom else {}).items():
            total[name] += int(count) * (pool.headroom.pods if pool.headroom else 0)
    return {f"requests.{name}": str(count) for name, count in total.items()} | {"requests.vpc.amazonaws.com/efa": "0"}
