"""CEL about the sender of a request: the platform, a controller of Kubernetes, or a tenant."""

from ..catalog.namespaces import KUBE_SYSTEM
from ..config import StackConfig
from .groups import name_member_group, name_viewer_group
from .literals import write_literal

IS_PLATFORM = "authorizer.group('').resource('resourcequotas').namespace(request.namespace).check('update').allowed()"
"""True for people and programs that may change the quotas of the namespace, which no tenant may."""

IS_CONTROLLER = (
    "('system:serviceaccounts:kube-system' in request.userInfo.groups"
    " || request.userInfo.username in ['system:kube-controller-manager', 'system:kube-scheduler'])"
)
"""True for the controllers of Kubernetes, such as the controllers that empty a namespace and bind volumes."""


def write_is_tenant(config: StackConfig) -> str:
    """Write CEL that is true for people of a tenant and for programs in a tenant's namespace."""
    groups = [name(tenant) for tenant in config.tenants for name in (name_member_group, name_viewer_group)]
    programs = [f"system:serviceaccounts:{tenant.namespace_name}" for tenant in config.tenants]
    return f"request.userInfo.groups.exists(g, g in {write_literal([*groups, *programs])})"


IS_JOB_CONTROLLER = (
    f"(request.userInfo.username in ['system:serviceaccount:{KUBE_SYSTEM}:job-controller',"
    " 'system:kube-controller-manager'])"
)
"""True for the controller that makes the pods of Jobs. If the controllers of a cluster share one user, it is true for
all of them, so a rule also checks the owner."""


def write_is_operator(config: StackConfig) -> str:
    """Write CEL that is true for programs of the platform, such as Kueue, and operators of JobSet or Ray.

    These programs run in namespaces that are neither kube-system nor a tenant's.
    """
    spaces = write_literal([KUBE_SYSTEM, *(tenant.namespace_name for tenant in config.tenants)])
    user = "request.userInfo.username"
    return f"({user}.startsWith('system:serviceaccount:') && !({user}.split(':')[2] in {spaces}))"


def write_is_trusted(config: StackConfig) -> str:
    """Write CEL that is true for the platform, its operators and the controllers of Kubernetes."""
    return f"({IS_CONTROLLER} || {write_is_operator(config)} || {IS_PLATFORM})"
