"""One tenant in the cluster: its namespace, its quotas, and the rights of its members."""

from collections.abc import Sequence
from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from gpu_blueprint.catalog.labels import TENANT_LABEL
from gpu_blueprint.config import StackConfig, Tenant
from gpu_blueprint.tenancy.groups import name_member_group
from gpu_blueprint.tenancy.quotas import build_container_limits, list_quotas


class TenantSpace(pulumi.ComponentResource):
    """Namespace, ResourceQuotas, LimitRange and RoleBinding of a tenant.

    Other objects in the namespace depend on ``namespace``.
    """

    namespace: k8s.core.v1.Namespace

    def __init__(
        self,
        name: str,
        config: StackConfig,
        tenant: Tenant,
        *,
        depends_on: Sequence[pulumi.Resource],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        super().__init__("gpu-blueprint:components:TenantSpace", name, None, opts)
        self.namespace = k8s.core.v1.Namespace(
            f"{name}-namespace",
            metadata={
                "name": tenant.namespace_name,
                "labels": {TENANT_LABEL: tenant.name, "pod-security.kubernetes.io/enforce": "baseline"},
            },
            opts=pulumi.ResourceOptions(parent=self, depends_on=list(depends_on)),
        )
        in_namespace = pulumi.ResourceOptions(parent=self, depends_on=[self.namespace])
        metadata: Any = {"name": "tenant", "namespace": tenant.namespace_name}
        for quota in list_quotas(config, tenant):
            place: Any = {**metadata, "name": quota.name}
            called = f"{name}-quota" if quota.name == "tenant" else f"{name}-{quota.name}"
            k8s.core.v1.ResourceQuota(called, metadata=place, spec=quota.spec, opts=in_namespace)
        k8s.core.v1.LimitRange(
            f"{name}-limits", metadata=metadata, spec={"limits": [build_container_limits(tenant)]}, opts=in_namespace
        )
        k8s.rbac.v1.RoleBinding(
            f"{name}-members",
            metadata=metadata,
            role_ref={"api_group": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "edit"},
            subjects=[{"api_group": "rbac.authorization.k8s.io", "kind": "Group", "name": name_member_group(tenant)}],
            opts=in_namespace,
        )
        self.register_outputs({"namespace": tenant.namespace_name})
