"""Karpenter's reasons to replace nodes that run: the drift of a node from its NodePool and its node class.

Source: kubernetes-sigs/karpenter v1.14.1, pkg/controllers/nodeclaim/disruption/drift.go, and
aws/karpenter-provider-aws v1.14.1, pkg/cloudprovider/drift.go. ``minValues`` chooses among types at a launch only.
"""

from collections.abc import Mapping

from ...records import Record
from .requirements import Requirement

ALL_NODES = "all nodes"
SUBNET_KEY = "topology.k8s.aws/subnet-id"
"""Stands for the subnet of a node among its labels. Nodes have no such label; Karpenter asks EC2 for the subnet."""


class Drift(Record, kw_only=True):
    """One reason for which Karpenter replaces the nodes of a pool, or some of them."""

    condition: str
    """The reason in the condition ``Drifted`` of a NodeClaim, such as ``NodePoolDrifted``."""
    reason: str
    """The field that changed, in words: ``the label gpu-blueprint/pool``."""
    nodes: str = ALL_NODES
    """The nodes that drift, in words: ``spot nodes``."""
    requirement: Requirement | None = None
    """The requirement that drifting nodes do not meet; None if all nodes drift."""

    def hits(self, labels: Mapping[str, str]) -> bool:
        """Return whether a node with these labels drifts."""
        return self.requirement is None or not self.requirement.matches(labels)
