"""The Kubernetes groups of a tenant's people, which EKS access entries hand out and RoleBindings name."""

from ..config import Tenant


def name_member_group(tenant: Tenant) -> str:
    """Return the group of the people who work in a tenant's namespace."""
    return f"tenant-{tenant.name}"


def name_viewer_group(tenant: Tenant) -> str:
    """Return the group of the people who read a tenant's namespace; no tenant's name contains a colon."""
    return f"tenant-viewer:{tenant.name}"
