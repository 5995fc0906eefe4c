"""Whether what is asked for comes: replicas, pods that wait, nodes that are launched and taken away."""

from ..recording import within
from .panels import PERCENT, Dashboard, Panel, Query, Row
from .queries import (
    AT_CEILING,
    NAMESPACE_OF_TENANT,
    NODEPOOLS,
    OF_TENANT,
    POOL,
    SPACES,
    TENANT,
    WAITED,
    WAITING,
    how_many,
)

_HPA = "kube_horizontalpodautoscaler"
_BY_HPA = "max by (namespace, horizontalpodautoscaler)"
_CREATED = f"karpenter_nodeclaims_created_total{{{NODEPOOLS}}}"
_DISRUPTED = f"karpenter_nodeclaims_disrupted_total{{{NODEPOOLS}}}"
_STEPS = 'operator_nodeclaim_status_condition_transition_seconds_bucket{type=~"Launched|Registered|Initialized",status="Unknown"}'
_REFUSED = 'karpenter_cloudprovider_errors_total{error="InsufficientCapacityError"}'
_AT_CEILING = f"{AT_CEILING} and on (nodepool) karpenter_nodepools_limit{{{NODEPOOLS}}}"
_USAGE = f'karpenter_nodepools_usage{{{NODEPOOLS},resource_type=~"nvidia.com/.+"}}'


def _replicas(field: str) -> str:
    return f"{_BY_HPA} ({_HPA}_{field}_replicas{{{SPACES}}})"


_NOW = Row(
    "Now",
    (
        Panel(
            title="Pods waiting for GPUs",
            about="Pods that are on no node yet. Normal for the minutes that a node takes; the list is below.",
            kind="number",
            queries=(Query(expr=f"count({WAITING} {OF_TENANT}) or vector(0)"),),
            steps=((1, "orange"), (10, "red")),
            width=4,
            height=4,
        ),
        Panel(
            title="Longest wait",
            about="Of the pod that waits longest. Beyond 15 minutes no node is on its way: quota, ceiling, or no capacity in AWS.",
            kind="number",
            queries=(Query(expr=f"max(({WAITED}) {OF_TENANT})"),),
            unit="s",
            steps=((300, "orange"), (900, "red")),
            width=4,
            height=4,
            nothing="nobody waits",
        ),
        Panel(
            title="Autoscalers at their maximum",
            about="They would want more and may not: raise `replicas.max`, if the pool has room.",
            kind="number",
            queries=(Query(expr=how_many(f"{_replicas('status_desired')} >= {_replicas('spec_max')}")),),
            steps=((1, "orange"),),
            width=4,
            height=4,
        ),
        Panel(
            title="Pools at their ceiling",
            about="Above 90 % of `maxGpus`: Karpenter launches nothing more for them.",
            kind="number",
            queries=(Query(expr=how_many(f"count by (nodepool) ({_AT_CEILING})")),),
            steps=((1, "orange"),),
            width=4,
            height=4,
        ),
        Panel(
            title="Nodes within an hour",
            about="Launched, and disrupted for whatever reason. Many of both: pools that breathe too fast, or spot that does not last.",
            kind="number",
            queries=(
                Query(expr=f"sum({within(_CREATED, '1h')}) or vector(0)", legend="launched"),
                Query(expr=f"sum({within(_DISRUPTED, '1h')}) or vector(0)", legend="disrupted"),
            ),
            width=8,
            height=4,
        ),
    ),
)
_REPLICAS = Row(
    "Replicas",
    (
        Panel(
            title="Replicas, by autoscaler",
            about="What runs, and what the autoscaler wants. Wanted above running for long: pods wait for nodes.",
            kind="lines",
            queries=(
                Query(expr=_replicas("status_current"), legend="{{namespace}}/{{horizontalpodautoscaler}}"),
                Query(expr=_replicas("status_desired"), legend="{{namespace}}/{{horizontalpodautoscaler}} wanted"),
            ),
            nothing="no autoscalers",
        ),
        Panel(
            title="Autoscalers",
            about="Where each stands between its bounds. Always at `max`: too tight. Always at `min`: what it measures does not move.",
            kind="table",
            queries=(
                Query(expr=_replicas("status_current"), legend="runs"),
                Query(expr=_replicas("status_desired"), legend="wanted"),
                Query(expr=_replicas("spec_min"), legend="min"),
                Query(expr=_replicas("spec_max"), legend="max"),
            ),
            nothing="no autoscalers",
        ),
    ),
)
_WAIT = Row(
    "Pods that wait",
    (
        Panel(
            title="Waiting, by resource",
            about="Units of each resource that pods on no node ask for.",
            kind="areas",
            queries=(Query(expr=f"sum by (resource) ({WAITING} {OF_TENANT})", legend="{{resource}}"),),
            nothing="nobody waits",
        ),
        Panel(
            title="Who waits",
            about="And for how long. `kubectl describe pod` says what the scheduler and Karpenter make of it.",
            kind="table",
            queries=(
                Query(expr=f"({WAITED}) {OF_TENANT}", legend="waits", unit="s", steps=((300, "orange"), (900, "red"))),
            ),
            nothing="nobody waits",
        ),
    ),
)
_NODES = Row(
    "Nodes",
    (
        Panel(
            title="Launched an hour, by pool",
            about="NodeClaims that Karpenter has made, and why.",
            kind="bars",
            queries=(
                Query(expr=f"sum by (nodepool, reason) ({within(_CREATED, '1h')})", legend="{{nodepool}} · {{reason}}"),
            ),
            width=8,
            nothing="none",
        ),
        Panel(
            title="Disrupted an hour, by reason",
            about="`empty` and `underutilized` save money; `drifted` is an update; `spot_interrupted` is EC2's.",
            kind="bars",
            queries=(
                Query(
                    expr=f"sum by (reason, capacity_type) ({within(_DISRUPTED, '1h')})",
                    legend="{{reason}} · {{capacity_type}}",
                ),
            ),
            width=8,
            nothing="none",
        ),
        Panel(
            title="Refused by EC2 an hour",
            about="Launches for which AWS had no capacity, in all pools: add instance types, zones or another way to buy.",
            kind="bars",
            queries=(Query(expr=f"sum({within(_REFUSED, '1h')})", legend="no capacity"),),
            width=8,
            nothing="none",
        ),
        Panel(
            title="How long a node takes",
            about="From the NodeClaim to launched, registered and initialized: half of all nodes of the last six hours are quicker, and"
            " nine of ten. Registered slow: AMI and network. Initialized slow: driver, MIG layout, device plugin.",
            kind="lines",
            queries=tuple(
                Query(
                    expr=f"histogram_quantile({part}, sum by (type, le) ({within(_STEPS, '6h')}))",
                    legend=f"{{{{type}}}}, {words}",
                )
                for part, words in ((0.5, "half"), (0.9, "9 of 10"))
            ),
            unit="s",
            nothing="no nodes",
        ),
        Panel(
            title="Ceiling used, by pool",
            about="What Karpenter has launched as a part of `maxGpus`.",
            kind="lines",
            queries=(
                Query(
                    expr=f"max by (nodepool) (max by (nodepool, resource_type) ({_USAGE}) / on (nodepool, resource_type)"
                    " (max by (nodepool, resource_type) (karpenter_nodepools_limit) > 0))",
                    legend="{{nodepool}}",
                ),
            ),
            unit="percentunit",
            most=1,
            steps=PERCENT,
            nothing="no ceilings",
        ),
    ),
)

AUTOSCALING = Dashboard(
    uid="gpu-autoscaling",
    title="GPU autoscaling",
    about="Whether what is asked for comes: replicas, pods that wait, nodes.",
    variables=(POOL, TENANT, NAMESPACE_OF_TENANT),
    rows=(_NOW, _REPLICAS, _WAIT, _NODES),
)
