"""One tenant: a namespace, what it may use, and who may use it."""

from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from gpu_blueprint.config import StackConfig, Tenant

from ..cluster.access import tenant_group


class TenantSpace(pulumi.ComponentResource):
    """Namespace, ResourceQuota, LimitRange and RoleBinding of a team; ``namespace`` is what else stands in it depends on."""

    namespace: k8s.core.v1.Namespace

    def __init__(
        self,
        name: str,
        config: StackConfig,
        tenant: Tenant,
        *,
        after: list[pulumi.Resource],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        super().__init__("gpu-blueprint:components:TenantSpace", name, None, opts)
        self.namespace = k8s.core.v1.Namespace(
            f"{name}-namespace",
            metadata={
                "name": tenant.space,
                "labels": {"gpu-blueprint/tenant": tenant.name, "pod-security.kubernetes.io/enforce": "baseline"},
            },
            opts=pulumi.ResourceOptions(parent=self, depends_on=after),
        )
        inside = pulumi.ResourceOptions(parent=self, depends_on=[self.namespace])
        place: Any = {"name": "tenant", "namespace": tenant.space}
        k8s.core.v1.ResourceQuota(
            f"{name}-quota", metadata=place, spec={"hard": quota_hard(config, tenant)}, opts=inside
        )
        k8s.core.v1.LimitRange(
            f"{name}-limits", metadata=place, spec={"limits": [container_limits(tenant)]}, opts=inside
        )
        k8s.rbac.v1.RoleBinding(
            f"{name}-members",
            metadata=place,
            role_ref={"api_group": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "edit"},
            subjects=[{"api_group": "rbac.authorization.k8s.io", "kind": "Group", "name": tenant_group(tenant)}],
            opts=inside,
        )
        self.register_outputs({"namespace": tenant.space})


def quota_hard(config: StackConfig, tenant: Tenant) -> dict[str, str]:
    """What the namespace may request: every GPU resource by name, 0 unless granted, since what is not listed is unlimited."""
    granted = config.quota_of(tenant)
    gpus = {f"requests.{name}": str(granted.get(name, 0)) for name in config.exposed_resources}
    # Karpenter launches a node for any pod that asks for EFA, so it is bounded even where no pool is meant for it.
    efa = {"requests.vpc.amazonaws.com/efa": str(config.efa_quota_of(tenant))}
    return {"requests.cpu": tenant.cpu, "requests.memory": tenant.memory, **gpus, **efa}


def container_limits(tenant: Tenant) -> Any:
    """Bounds of one container, and modest requests for those that state none.

    GPUs are absent on purpose: Kubernetes turns a ``max`` without ``default`` into the default, so each container
    would be given GPUs (SetDefaults_LimitRangeItem).
    """
    return {
        "type": "Container",
        "max": {"cpu": tenant.cpu, "memory": tenant.memory},
        "default_request": {"cpu": "100m", "memory": "256Mi"},
    }
