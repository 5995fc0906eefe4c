"""The times that are compiled into Karpenter or set in its environment, and that no stack file changes.

Source: kubernetes-sigs/karpenter v1.14.1, pkg/operator/options/options.go, and in pkg/controllers
disruption/controller.go, disruption/consolidation.go, nodeclaim/podevents/ and node/termination/controller.go.
"""

from ..records import Record, asdict


class Delays(Record, kw_only=True):
    """Seconds; the defaults are those of Karpenter."""

    batch_idle_s: float = 1.0
    """Karpenter launches nodes when no pod came for this time,"""
    batch_most_s: float = 10.0
    """or this long after the first pod."""
    event_s: float = 10.0
    """Karpenter notes no pod that comes to a node, or ends, within this time of the last one that it noted."""
    poll_s: float = 10.0
    """Karpenter looks for nodes to disrupt this long after a look without a result,"""
    validation_s: float = 15.0
    """and disrupts a node that does not change for this time. It looks for no other node meanwhile."""
    recheck_s: float = 300.0
    """Until a node that cannot be consolidated is checked again; the polls before that skip it."""
    drain_s: float = 5.0
    """From the decision to end a node until EC2 terminates it. New pods go elsewhere, but the node is paid, and counts
    against the budgets."""
    swap_s: float = 1.0
    """From the moment when a replacement node is ready until the old node ends."""

    def scale(self, factor: float) -> "Delays":
        """Return all delays times a factor."""
        return Delays(**{name: seconds * factor for name, seconds in asdict(self).items()})


KARPENTER = Delays()
