"""Read managed node groups of EKS, whichever provider makes them."""

from ..resources import Resource

_TYPES = ("aws:eks/nodeGroup:NodeGroup", "aws-native:eks:Nodegroup", "eks:index:ManagedNodeGroup")
GROUP_KINDS = ("NodeGroup", "Nodegroup", "ManagedNodeGroup")
_GPU_MACHINES = ("g", "p")
"""Starts of the names of GPU instance types, and of no others."""
_GPU_IMAGES = ("NVIDIA", "GPU")


def is_managed_group(resource: Resource) -> bool:
    """Tell whether a resource is a managed node group; a group of another provider is not."""
    return resource.type in _TYPES


def has_gpus(group: Resource) -> bool:
    """Tell whether a node group launches GPU nodes, by its machines or by its image."""
    machines = [name for name in group.list_texts("instanceTypes") if name.startswith(_GPU_MACHINES)]
    return bool(machines) or any(mark in group.read_text("amiType") for mark in _GPU_IMAGES)


def has_own_template(group: Resource) -> bool:
    """Tell whether a node group names a launch template; without it, EKS makes one from its defaults."""
    return bool(group.read_block("launchTemplate"))
