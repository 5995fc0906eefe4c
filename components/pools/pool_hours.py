"""The hours of a pool: what closes it and opens it again, and the rights to do just that.

Why so: docs/decisions/0007-hours.md. The image holds kubectl and no shell, so each step is a container of its own.
"""

from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from gpu_blueprint.catalog import namespaces
from gpu_blueprint.catalog.versions import KUBECTL_IMAGE
from gpu_blueprint.config import Hours, Pool, StackConfig
from gpu_blueprint.sharing import POOL_KEY

NODE_POOL_KEY = "karpenter.sh/nodepool"
"""Karpenter's own label of NodeClaims and nodes."""
HOLD_KEY = "gpu-blueprint/hold"
"""Label of a NodeClaim that outlives the hours, for as long as an admin leaves it there."""
CLOSED_KEY = "gpu-blueprint/hours"
"""Label of the nodes that a close has cordoned: those that somebody cordoned by hand stay so."""
FIELD_MANAGER = "gpu-blueprint-hours"
"""Owner of what the steps patch. Pulumi takes over, and then removes, what owners named kubectl… have set."""

Steps = dict[str, list[str]]
"""Name of a container → kubectl's arguments, in order."""


class PoolHours(pulumi.ComponentResource):
    """Two CronJobs, and an account that may reach this pool's NodePool; all gone before the NodePool is deleted."""

    def __init__(
        self,
        name: str,
        config: StackConfig,
        pool: Pool,
        hours: Hours,
        *,
        node_pool: pulumi.Resource,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        super().__init__("gpu-blueprint:components:PoolHours", name, None, opts)
        allowed = self._make_account(name, pool, node_pool)
        for verb, schedule, steps in (
            ("close", hours.closes, close_steps(pool)),
            ("open", hours.opens, open_steps(pool)),
        ):
            k8s.batch.v1.CronJob(
                f"{name}-hours-{verb}",
                metadata={"name": f"hours-{verb}-{pool.name}", "namespace": namespaces.KUBE_SYSTEM},
                spec=cron_job_spec(config, pool, hours, schedule, steps),
                opts=pulumi.ResourceOptions(parent=self, depends_on=[allowed, node_pool]),
            )
        self.register_outputs({})

    def _make_account(self, name: str, pool: Pool, node_pool: pulumi.Resource) -> pulumi.Resource:
        """Make a service account, and return what binds it to its rights."""
        child = pulumi.ResourceOptions(parent=self, depends_on=[node_pool])
        account = k8s.core.v1.ServiceAccount(
            f"{name}-hours-account",
            metadata={"name": account_name(pool), "namespace": namespaces.KUBE_SYSTEM},
            automount_service_account_token=False,
            opts=child,
        )
        whole = f"gpu-blueprint-{account_name(pool)}"
        role = k8s.rbac.v1.ClusterRole(
            f"{name}-hours-role", metadata={"name": whole}, rules=role_rules(pool), opts=child
        )
        return k8s.rbac.v1.ClusterRoleBinding(
            f"{name}-hours-binding",
            metadata={"name": whole},
            role_ref={"api_group": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": whole},
            subjects=[{"kind": "ServiceAccount", "name": account_name(pool), "namespace": namespaces.KUBE_SYSTEM}],
            opts=pulumi.ResourceOptions(parent=self, depends_on=[account, role]),
        )


def account_name(pool: Pool) -> str:
    """Name of the pool's service account."""
    return f"hours-{pool.name}"


def role_rules(pool: Pool) -> list[Any]:
    """Rights of the account; kubectl deletes by label one by one. RBAC cannot tell one pool's nodes from another's."""
    own = {
        "api_groups": ["karpenter.sh"],
        "resources": ["nodepools"],
        "resource_names": [pool.name],
        "verbs": ["get", "patch"],
    }
    if pool.holds_jobs:
        return [own, {"api_groups": [""], "resources": ["nodes"], "verbs": ["get", "list", "patch"]}]
    return [own, {"api_groups": ["karpenter.sh"], "resources": ["nodeclaims"], "verbs": ["list", "delete"]}]


def close_steps(pool: Pool) -> Steps:
    """Let Karpenter launch nothing more, then drain what runs, or let it finish where jobs are held."""
    return {"stop-launches": _limit(pool, '"0"'), **(_cordon(pool) if pool.holds_jobs else _drain(pool))}


def open_steps(pool: Pool) -> Steps:
    """Take nodes that live on into use again, before Karpenter may launch others."""
    return {**(_uncordon(pool) if pool.holds_jobs else {}), "allow-launches": _limit(pool, "null")}


def _limit(pool: Pool, cpu: str) -> list[str]:
    """A limit that no other owner sets; Pulumi owns those of the GPUs beside it."""
    patch = f'{{"spec":{{"limits":{{"cpu":{cpu}}}}}}}'
    return ["patch", "nodepools.karpenter.sh", pool.name, "--type=merge", f"--patch={patch}", _manager()]


def _drain(pool: Pool) -> Steps:
    selector = f"--selector={NODE_POOL_KEY}={pool.name},{HOLD_KEY}!=true"
    return {"drain-nodes": ["delete", "nodeclaims.karpenter.sh", selector, "--wait=false"]}


def _cordon(pool: Pool) -> Steps:
    """Mark what is still in use, then cordon what is marked."""
    of_pool = f"--selector={NODE_POOL_KEY}={pool.name}"
    in_use = "--field-selector=spec.unschedulable=false"
    return {
        "mark-nodes": ["label", "nodes", of_pool, in_use, f"{CLOSED_KEY}=closed", "--overwrite", _manager()],
        "cordon-nodes": ["cordon", f"{of_pool},{CLOSED_KEY}=closed"],
    }


def _uncordon(pool: Pool) -> Steps:
    """Uncordon what is marked, then unmark what is in use: kubectl reports a node that it could not uncordon as done."""
    marked = f"--selector={NODE_POOL_KEY}={pool.name},{CLOSED_KEY}=closed"
    in_use = "--field-selector=spec.unschedulable=false"
    return {
        "uncordon-nodes": ["uncordon", marked],
        "unmark-nodes": ["label", "nodes", marked, in_use, f"{CLOSED_KEY}-", _manager()],
    }


def _manager() -> str:
    return f"--field-manager={FIELD_MANAGER}"


def cron_job_spec(config: StackConfig, pool: Pool, hours: Hours, schedule: str, steps: Steps) -> Any:
    """The ``spec`` of a CronJob that runs steps in order, each until it succeeds."""
    return {
        "schedule": schedule,
        "time_zone": hours.timezone,
        "concurrency_policy": "Forbid",
        # Late by 30 minutes and at work for 15 at most: done within the hour that lies between a close and an opening.
        "starting_deadline_seconds": 1800,
        "successful_jobs_history_limit": 1,
        "failed_jobs_history_limit": 3,
        "job_template": {
            "spec": {
                "active_deadline_seconds": 900,
                "backoff_limit": 4,
                "ttl_seconds_after_finished": 3 * 24 * 3600,
                "template": {"spec": pod_spec(config, pool, steps)},
            }
        },
    }


def pod_spec(config: StackConfig, pool: Pool, steps: Steps) -> Any:
    """A pod on the system nodes that runs one kubectl after the other."""
    image = f"{KUBECTL_IMAGE}:{config.cluster.release.kubectl}"
    *before, last = [_container(name, image, arguments) for name, arguments in steps.items()]
    return {
        "service_account_name": account_name(pool),
        "automount_service_account_token": True,
        "restart_policy": "OnFailure",
        "priority_class_name": "system-cluster-critical",
        "affinity": {"node_affinity": _on_system_nodes()},
        "security_context": {
            "run_as_non_root": True,
            "run_as_user": 65532,
            "run_as_group": 65532,
            "seccomp_profile": {"type": "RuntimeDefault"},
        },
        **({"init_containers": before} if before else {}),
        "containers": [last],
    }


def _on_system_nodes() -> Any:
    absent = [{"key": key, "operator": "DoesNotExist"} for key in (NODE_POOL_KEY, POOL_KEY)]
    return {
        "required_during_scheduling_ignored_during_execution": {"node_selector_terms": [{"match_expressions": absent}]}
    }


def _container(name: str, image: str, arguments: list[str]) -> Any:
    return {
        "name": name,
        "image": image,
        "args": arguments,
        "resources": {"requests": {"cpu": "10m", "memory": "64Mi"}, "limits": {"memory": "256Mi"}},
        "security_context": {
            "allow_privilege_escalation": False,
            "read_only_root_filesystem": True,
            "capabilities": {"drop": ["ALL"]},
        },
    }
