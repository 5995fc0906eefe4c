"""The IAM roles of a stack: the key of each in ``iam.roles``, its name, and who acts as it."""

from ...catalog.addons import ADD_ONS, LAYER_ADD_ONS
from ...config import InstallMonitoring, StackConfig
from ...config.monitoring import Amp
from ...records import Record
from ..storage.drivers import list_drivers
from .identities import ServiceAccountGrants, list_grants

CONTROL_PLANE, SYSTEM_NODES, NODES, KARPENTER = "controlPlane", "systemNodes", "nodes", "karpenter"
IMAGE_CACHE, PROMETHEUS = "imageCache", "prometheus"


class RoleOfStack(Record, kw_only=True):
    """One IAM role of a stack, which the platform makes or is given."""

    key: str
    """The role's key in ``iam.roles``."""
    name: str
    """Name of the component that makes the role; the role's name in IAM begins with it."""
    holder: str
    """Who acts as the role."""
    tenant: str = ""
    """Tenant whose pods act as the role; empty for the platform's own roles."""


def name_account_role(config: StackConfig, grants: ServiceAccountGrants) -> str:
    """Return the name of the role of a tenant's service account, without the region."""
    return f"{config.cluster_name}-tenant-{grants.name}"


def list_roles(config: StackConfig) -> list[RoleOfStack]:
    """Return the roles of a stack: of the platform, then of the service accounts of tenants."""
    return [*_list_own_roles(config), *_list_account_roles(config)]


def _list_own_roles(config: StackConfig) -> list[RoleOfStack]:
    own = config.cluster_name
    found: list[RoleOfStack] = []
    if config.new_cluster:
        found += [
            RoleOfStack(key=CONTROL_PLANE, name=f"{own}-cluster-control-plane", holder="the EKS control plane"),
            RoleOfStack(key=SYSTEM_NODES, name=f"{own}-system", holder="system nodes and static nodes"),
        ]
    if config.installs_karpenter:
        found += [
            RoleOfStack(key=NODES, name=f"{own}-karpenter-nodes", holder="nodes that Karpenter launches"),
            RoleOfStack(key=KARPENTER, name=f"{own}-karpenter", holder="Karpenter's controller"),
        ]
    if config.images and config.images.pull_through:
        found.append(RoleOfStack(key=IMAGE_CACHE, name=f"{own}-images", holder="ECR, which makes cached repositories"))
    if isinstance(config.monitoring, InstallMonitoring) and isinstance(config.monitoring.remote_write, Amp):
        found.append(RoleOfStack(key=PROMETHEUS, name=f"{own}-monitoring", holder="Prometheus"))
    add_ons = [*(ADD_ONS if config.new_cluster else LAYER_ADD_ONS), *(driver.add_on for driver in list_drivers(config))]
    return found + [
        RoleOfStack(key=add_on.name, name=f"{own}-{add_on.name}", holder=f"the add-on {add_on.name}")
        for add_on in add_ons
        if add_on.identity and config.manages_addons
    ]


def _list_account_roles(config: StackConfig) -> list[RoleOfStack]:
    return [
        RoleOfStack(
            key=f"{grants.tenant}/{grants.service_account}",
            name=name_account_role(config, grants),
            holder=f"pods of service account {grants.service_account} in namespace {grants.namespace}",
            tenant=grants.tenant,
        )
        for grants in list_grants(config)
    ]


def find_given_role(config: StackConfig, name: str) -> str | None:
    """Return the ARN that the stack file gives in place of the role with a name; None if the platform makes the role.

    Raises:
        KeyError: The table has no role of this name, so nobody could give it.
    """
    if not config.iam.roles and not config.node_role_arn:
        return None
    key = {role.name: role.key for role in list_roles(config)}[name]
    return config.node_role_arn if key == NODES and config.node_role_arn else config.iam.roles.get(key)
