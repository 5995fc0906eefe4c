"""The steps that replace a node, shared by all runbooks."""

CORDON = "Keep new pods off the node: `kubectl cordon {{ $labels.node }}`."
DELETE = (
    "find its NodeClaim with `kubectl get nodeclaims | grep {{ $labels.node }}`, then run"
    " `kubectl delete nodeclaim NAME`. Karpenter drains the node at once, and launches another node only for pending"
    " pods."
)
"""Last part of a sentence, for a node whose pods may be evicted at once."""
REPLACE = (
    "cordon it (`kubectl cordon {{ $labels.node }}`), raise the replicas of services with pods there, let jobs save"
    f" their state. Then {DELETE}"
)
"""Last part of a sentence, for a node with pods: replacements run elsewhere before the drain."""
