"""The field of the stack file that a planned resource is made from; findings about it name the field's line."""

from collections.abc import Mapping

from ..config import StackConfig
from ..plan import PlannedResource
from ..problem import Path

SECTIONS: Mapping[str, Path] = {
    # Platform itself makes only the providers, which hold the account, the region and the tags.
    "Platform": ("accountId",),
    "Network": ("network",),
    "Cluster": ("cluster",),
    "Access": ("cluster",),
    "Addons": ("cluster",),
    "SystemNodes": ("cluster", "systemNodes"),
    "Storage": ("cluster",),
    "NodeLocalDns": ("cluster",),
    "PlatformRecord": ("cluster",),
    "Karpenter": ("cluster",),
    "GpuOperator": ("pools",),
    "Efa": ("pools",),
    "JobSetController": ("pools",),
    "GpuPool": ("pools",),
    "CpuPool": ("pools",),
    "StaticNodes": ("pools",),
    "PoolHours": ("pools",),
    "HeadroomSpace": ("pools",),
    "Prepull": ("pools",),
    "ImageCache": ("images",),
    "SharedStorage": ("storage",),
    "Kueue": ("queueing",),
    "Queues": ("queueing",),
    "Admission": ("tenancy",),
    "TenantSpace": ("tenants",),
    "TenantRights": ("tenants",),
    "TenantIdentity": ("tenants",),
    "Keda": ("services",),
    "GpuAutoscaler": ("services",),
    "Model": ("models",),
    "Monitoring": ("monitoring",),
    "OwnExporter": ("monitoring",),
    "Billing": ("billing",),
}
"""Component of components/platform.py → the field of the stack that it is made from; a test compares the two."""


def find_section(config: StackConfig, by_urn: Mapping[str, PlannedResource], urn: str) -> Path:
    """Walk up from a resource to its component, and return the field of the stack that the component is made from.

    The path is empty for a URN that is not in the plan.
    """
    name = by_urn[urn].name if urn in by_urn else ""
    while resource := by_urn.get(urn):
        kind = resource.type.rsplit(":", 1)[-1]
        if not resource.custom and kind in SECTIONS:
            return _find_item(config, SECTIONS[kind], resource.name, name)
        urn = resource.parent
    return ()


def _find_item(config: StackConfig, section: Path, component: str, resource: str) -> Path:
    """Return the item of a list field that a component is named after, else the whole field."""
    items: Mapping[Path, list[str]] = {
        ("pools",): [pool.name for pool in config.pools],
        ("tenants",): [f"tenant-{tenant.name}" for tenant in config.tenants],
        ("services",): [f"{service.tenant}/{service.name}" for service in config.services],
        ("models",): [f"{model.tenant}/{model.name}" for model in config.models],
    }
    for index, item in enumerate(items.get(section, [])):
        # A component for all pools makes resources for one pool, such as gpu-prod-headroom-infer-l4.
        if component == f"{config.cluster_name}-{item}" or resource == f"{component}-{item}":
            return (*section, index)
    if section == ("services",):
        return _find_model(config, component) or (section if config.services else _find_cause(config))
    return section


def _find_model(config: StackConfig, component: str) -> Path:
    """Return the model whose scaler a component is; empty if it is no model's."""
    for index, model in enumerate(config.models):
        names = {f"{config.cluster_name}-{model.tenant}/{version.deployment}" for version in model.list_versions()}
        if component in names:
            return ("models", index)
    return ()


def _find_cause(config: StackConfig) -> Path:
    """Return the field that asks for scaling in a stack without services."""
    return ("models",) if config.models else ("autoscaling",)
