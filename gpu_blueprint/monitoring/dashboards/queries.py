"""Parts of expressions that several dashboards use."""

from ..alerts import ALERTS
from ..facts import PER_DEVICE
from ..recording import NAMESPACE, NODE, ON_POOL
from .panels import Variable

POOLS, TENANTS = 'pool=~"$pool"', 'tenant=~"$tenant"'
SPACES, NODES = 'namespace=~"$namespace"', 'node=~"$node"'
NODEPOOLS = 'nodepool=~"$pool"'
"""Karpenter's pools are called as ours."""

POOL, FIRST_POOL = Variable("pool"), Variable("pool", starts_with_one=True)
TENANT, FIRST_TENANT = Variable("tenant"), Variable("tenant", starts_with_one=True)
NODE_OF_POOL = Variable("node", f"label_values({NODE}{{{POOLS}}}, node)")
NAMESPACE_OF_TENANT = Variable("namespace", f"label_values({NAMESPACE}{{{TENANTS}}}, namespace)")

MEASURED = f"and on (pool) {PER_DEVICE}"
"""Keeps pools whose nodes run dcgm-exporter: of others it is known who holds GPUs, not what they do."""
NOT_MEASURED = f"unless on (pool) {PER_DEVICE}"
IN_POOL = f"{ON_POOL}{{{POOLS}}}"
IN_POOL_LATELY = f"* on (node) group_left (pool) max by (node, pool) (max_over_time({NODE}{{{POOLS}}}[1h]))"
"""The same for what happened within an hour: a node that failed may be gone by now."""
OF_TENANT = f"and on (namespace) {NAMESPACE}{{{TENANTS}}}"
ON_NODE = f"{NODE}{{{POOLS},{NODES}}}"
"""The nodes that are chosen."""
SPENT = f"gpu_pool:gpus:total{{{POOLS}}} * on (pool) gpu_pool:usd_per_gpu_hour:avg"

_EXPRESSIONS = {alert.name: alert.expr for alert in ALERTS}


def seen_by(alert: str) -> str:
    """What an alert looks at, so that the two agree; without its waiting time."""
    return f"({_EXPRESSIONS[alert]})"


WAITING = seen_by("GpuPodPending")
AT_CEILING = seen_by("GpuPoolAtCeiling")
WAITED = f"(time() - max by (namespace, pod) (kube_pod_created)) and on (namespace, pod) {WAITING}"
"""Seconds since a pod that waits for GPUs was made."""


def how_many(expr: str) -> str:
    """Count what there is; 0 if there is nothing."""
    return f"count({expr}) or vector(0)"


def of_gpu(series: str, *more: str) -> str:
    """One value for each GPU or MIG instance of the chosen nodes, however many pods share it."""
    labels = ", ".join(("node", "gpu", *more))
    return f"max by ({labels}) ({series}{{{NODES}}}) {IN_POOL}"
