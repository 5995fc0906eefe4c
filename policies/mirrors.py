"""The mirror of a stack: a registry with copies of its charts, which the rule about chart registries allows."""

from typing import Any

from .rule import Rule, Settings

_REGISTRY_RULE = "chart-registry-allowed"


def read_mirror(stack: Any) -> str:
    """Return the mirror of a stack object, without scheme; empty if the program states none or has no stack object."""
    images = stack.get("images") if isinstance(stack, dict) else None
    mirror = images.get("mirror") if isinstance(images, dict) else None
    return mirror if isinstance(mirror, str) else ""


def allow_mirror(rule: Rule, settings: Settings, mirror: str) -> Settings:
    """Add a mirror to the registries of the rule about charts; other rules keep their settings."""
    if not mirror or rule.id != _REGISTRY_RULE:
        return settings
    registries = {**rule.settings, **settings}["registries"]
    return {**settings, "registries": [*registries, f"oci://{mirror}/"]}
