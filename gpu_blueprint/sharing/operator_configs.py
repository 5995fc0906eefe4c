"""The names by which the ClusterPolicy of an existing GPU Operator finds the platform's sharing configs."""

PLUGIN_CONFIG_MAP = "gpu-blueprint-device-plugin"
"""ConfigMap for ``spec.devicePlugin.config.name``; ``spec.devicePlugin.config.default`` must be ``none``."""
MIG_CONFIG_MAP = "gpu-blueprint-mig"
"""ConfigMap for ``spec.migManager.config.name``."""
MIG_FILE = "config.yaml"
