"""The steps that replace a node, the same in every runbook."""

CORDON = "Keep new pods off the node: `kubectl cordon {{ $labels.node }}`."
DELETE = (
    "find its NodeClaim with `kubectl get nodeclaims | grep {{ $labels.node }}`, then run"
    " `kubectl delete nodeclaim NAME`. The node drains at once, and Karpenter launches another node only for pods that"
    " then wait."
)
"""Continues a sentence about a node whose pods may end at once."""
REPLACE = (
    "cordon it (`kubectl cordon {{ $labels.node }}`), raise the replicas of services that run there, let jobs save"
    f" their state. Then {DELETE}"
)
"""Continues a sentence about a node with pods: the successors of its pods run before the node drains."""
