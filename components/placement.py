"""Placement of the platform's pods: agents on every node, everything else on the system nodes and nowhere else."""

from typing import Any

from gpu_blueprint.catalog.system_nodes import SYSTEM_NODE_LABELS, SYSTEM_NODE_TAINT

TOLERATE_EVERY_TAINT = [{"operator": "Exists"}]
"""The toleration of programs that must run on every node, such as agents, exporters and device plugins."""

# The taint lets a pod in only with this toleration, and the selector keeps the pod from nodes of tenants' pools, which
# come and go. Both have the same names in pods, in charts and in the configuration of EKS add-ons.
_SYSTEM_TOLERATIONS = [
    {"key": SYSTEM_NODE_TAINT["key"], "operator": "Exists", "effect": SYSTEM_NODE_TAINT["effect"]},
]

ON_SYSTEM_NODES: dict[str, Any] = {"nodeSelector": SYSTEM_NODE_LABELS, "tolerations": _SYSTEM_TOLERATIONS}
"""Part of the values of a chart or an add-on that places one controller."""

SYSTEM_POD_SPEC: dict[str, Any] = {"node_selector": SYSTEM_NODE_LABELS, "tolerations": _SYSTEM_TOLERATIONS}
"""The same as part of a pod's spec in Pulumi's spelling."""
