"""One tenant in the cluster: its namespace, its quota, and the rights of its people."""

from collections.abc import Sequence
from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from gpu_blueprint.catalog.labels import TENANT_LABEL
from gpu_blueprint.config import StackConfig, Tenant
from gpu_blueprint.tenancy.groups import name_member_group, name_viewer_group
from gpu_blueprint.tenancy.identities import list_grants
from gpu_blueprint.tenancy.rights import MEMBER, VIEWER

from .rights import build_role_ref, build_subject

DEFAULT_MEMORY_GIB = 4
"""Limit of memory of a container that states none: room for a first GPU program, and too little to fill a node."""


class TenantSpace(pulumi.ComponentResource):
    """Namespace, ResourceQuota, LimitRange, RoleBindings and service accounts of a tenant.

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
        k8s.core.v1.ResourceQuota(
            f"{name}-quota", metadata=metadata, spec={"hard": build_tenant_quota(config, tenant)}, opts=in_namespace
        )
        k8s.core.v1.LimitRange(
            f"{name}-limits", metadata=metadata, spec={"limits": [build_container_limits(tenant)]}, opts=in_namespace
        )
        self._make_accounts(name, config, tenant, in_namespace)
        self._bind_people(name, tenant, in_namespace)
        self.register_outputs({"namespace": tenant.namespace_name})

    def _make_accounts(self, name: str, config: StackConfig, tenant: Tenant, opts: pulumi.ResourceOptions) -> None:
        """Make the service accounts that act as roles in AWS."""
        for grants in list_grants(config):
            if grants.tenant == tenant.name:
                k8s.core.v1.ServiceAccount(
                    f"{name}-account-{grants.service_account}",
                    metadata={"name": grants.service_account, "namespace": tenant.namespace_name},
                    # Credentials of AWS come by a token of their own (EKS Pod Identity); a pod that also asks the API
                    # of Kubernetes says so itself.
                    automount_service_account_token=False,
                    opts=opts,
                )

    def _bind_people(self, name: str, tenant: Tenant, opts: pulumi.ResourceOptions) -> None:
        """Give members and viewers their rights."""
        for title, role, group in (
            ("members", MEMBER, name_member_group(tenant)),
            ("viewers", VIEWER, name_viewer_group(tenant)),
        ):
            # Version 0.2 bound another role, and nobody can change the role of a binding: the binding has a new name.
            k8s.rbac.v1.RoleBinding(
                f"{name}-{title}",
                metadata={"name": f"gpu-blueprint-{title}", "namespace": tenant.namespace_name},
                role_ref=build_role_ref(role),
                subjects=[build_subject(group)],
                opts=opts,
            )


def build_tenant_quota(config: StackConfig, tenant: Tenant) -> dict[str, str]:
    """Return the ``hard`` limits of the tenant's ResourceQuota.

    A resource that a quota does not list is unlimited. The quota therefore lists every extended resource that some
    node of the stack hands out, with 0 where the tenant has no grant.
    """
    granted = config.sum_quota(tenant)
    gpus = {f"requests.{name}": str(granted.get(name, 0)) for name in config.exposed_resources}
    # Karpenter launches a node for any pod that requests EFA, so EFA has a limit even where no pool offers it.
    efa = {"requests.vpc.amazonaws.com/efa": str(config.sum_efa_quota(tenant))}
    return {"requests.cpu": tenant.cpu, "requests.memory": tenant.memory, **gpus, **efa}


def build_container_limits(tenant: Tenant) -> Any:
    """Return the LimitRange item that gives modest requests, and a modest limit of memory, to containers without any.

    Kubernetes turns a ``max`` without ``default`` into the default (SetDefaults_LimitRangeItem). So each resource of
    ``max`` has its own default, and the item names neither CPU there, which needs no limit, nor GPUs, which every
    container would then get. See docs/decisions/0005-no-gpu-in-limit-ranges.md.
    """
    return {
        "type": "Container",
        "max": {"memory": tenant.memory},
        "default": {"memory": _choose_default_memory(tenant)},
        "default_request": {"cpu": "100m", "memory": "256Mi"},
    }


def _choose_default_memory(tenant: Tenant) -> str:
    """Return the limit of memory for containers that state none; a default above ``max`` would be refused."""
    fits = tenant.memory.endswith("Ti") or int(tenant.memory.removesuffix("Gi")) >= DEFAULT_MEMORY_GIB
    return f"{DEFAULT_MEMORY_GIB}Gi" if fits else tenant.memory
