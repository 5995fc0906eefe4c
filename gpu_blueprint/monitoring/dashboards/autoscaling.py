"""Demand and supply: replicas, waiting pods, and nodes that start and stop."""

from ..recording import count_new
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
    count_series,
)

_CREATED = f"karpenter_nodeclaims_created_total{{{NODEPOOLS}}}"
_DISRUPTED = f"karpenter_nodeclaims_disrupted_total{{{NODEPOOLS}}}"
_TRANSITIONS = (
    "operator_nodeclaim_status_condition_transition_seconds_bucket"
    '{type=~"Launched|Registered|Initialized",status="Unknown"}'
)
_REFUSED = 'karpenter_cloudprovider_errors_total{error="InsufficientCapacityError"}'
_AT_CEILING = f"{AT_CEILING} and on (nodepool) karpenter_nodepools_limit{{{NODEPOOLS}}}"
_USAGE = f'karpenter_nodepools_usage{{{NODEPOOLS},resource_type=~"nvidia.com/.+"}}'


def _select_replicas(field: str) -> str:
    """Select a number of replicas of each autoscaler."""
    return f"max by (namespace, horizontalpodautoscaler) (kube_horizontalpodautoscaler_{field}_replicas{{{SPACES}}})"


_NOW = Row(
    "Now",
    (
        Panel(
            title="Pods waiting for GPUs",
            about="Pods without a node. Normal for the minutes that a node needs to start; a table below lists them.",
            kind="number",
            queries=(Query(expr=f"count({WAITING} {OF_TENANT}) or vector(0)"),),
            thresholds=((1, "orange"), (10, "red")),
            width=4,
            height=4,
        ),
        Panel(
            title="Longest wait",
            about="Waiting time of the pod that waits longest. Beyond 15 minutes no node is on its way: quota,"
            " ceiling, or no capacity in AWS.",
            kind="number",
            queries=(Query(expr=f"max(({WAITED}) {OF_TENANT})"),),
            unit="s",
            thresholds=((300, "orange"), (900, "red")),
            width=4,
            height=4,
            no_value="nobody waits",
        ),
        Panel(
            title="Autoscalers at their maximum",
            about="Autoscalers that may not add replicas: raise `replicas.max` if the pool has room.",
            kind="number",
            queries=(
                Query(expr=count_series(f"{_select_replicas('status_desired')} >= {_select_replicas('spec_max')}")),
            ),
            thresholds=((1, "orange"),),
            width=4,
            height=4,
        ),
        Panel(
            title="Pools at their ceiling",
            about="Pools above 90 % of `maxGpus`: at the ceiling Karpenter launches no more nodes for them.",
            kind="number",
            queries=(Query(expr=count_series(f"count by (nodepool) ({_AT_CEILING})")),),
            thresholds=((1, "orange"),),
            width=4,
            height=4,
        ),
        Panel(
            title="Nodes in the last hour",
            about="Nodes launched, and nodes disrupted for any reason. Many of both: pools grow and shrink too fast,"
            " or spot nodes do not last.",
            kind="number",
            queries=(
                Query(expr=f"sum({count_new(_CREATED, '1h')}) or vector(0)", legend="launched"),
                Query(expr=f"sum({count_new(_DISRUPTED, '1h')}) or vector(0)", legend="disrupted"),
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
            about="Running replicas, and replicas that the autoscaler wants. If it wants more than run for long, pods"
            " wait for nodes.",
            kind="lines",
            queries=(
                Query(expr=_select_replicas("status_current"), legend="{{namespace}}/{{horizontalpodautoscaler}}"),
                Query(
                    expr=_select_replicas("status_desired"), legend="{{namespace}}/{{horizontalpodautoscaler}} wanted"
                ),
            ),
            no_value="no autoscalers",
        ),
        Panel(
            title="Autoscalers",
            about="Replicas of each autoscaler between its bounds. Always at `max`: the maximum is too low. Always at"
            " `min`: its measurement does not change.",
            kind="table",
            queries=(
                Query(expr=_select_replicas("status_current"), legend="runs"),
                Query(expr=_select_replicas("status_desired"), legend="wanted"),
                Query(expr=_select_replicas("spec_min"), legend="min"),
                Query(expr=_select_replicas("spec_max"), legend="max"),
            ),
            no_value="no autoscalers",
        ),
    ),
)
_WAIT = Row(
    "Waiting pods",
    (
        Panel(
            title="Waiting, by resource",
            about="Units of each resource that pods without a node request.",
            kind="areas",
            queries=(Query(expr=f"sum by (resource) ({WAITING} {OF_TENANT})", legend="{{resource}}"),),
            no_value="nobody waits",
        ),
        Panel(
            title="Waiting pods",
            about="Waiting time of each pod. `kubectl describe pod` shows the reasons of the scheduler and of"
            " Karpenter.",
            kind="table",
            queries=(
                Query(
                    expr=f"({WAITED}) {OF_TENANT}", legend="waits", unit="s", thresholds=((300, "orange"), (900, "red"))
                ),
            ),
            no_value="nobody waits",
        ),
    ),
)
_NODES = Row(
    "Nodes",
    (
        Panel(
            title="Launched per hour, by pool",
            about="NodeClaims that Karpenter created, by reason.",
            kind="bars",
            queries=(
                Query(
                    expr=f"sum by (nodepool, reason) ({count_new(_CREATED, '1h')})", legend="{{nodepool}} · {{reason}}"
                ),
            ),
            width=8,
            no_value="none",
        ),
        Panel(
            title="Disrupted per hour, by reason",
            about="`empty` and `underutilized` save money; `drifted` is an update; `spot_interrupted` means that EC2"
            " took the node back.",
            kind="bars",
            queries=(
                Query(
                    expr=f"sum by (reason, capacity_type) ({count_new(_DISRUPTED, '1h')})",
                    legend="{{reason}} · {{capacity_type}}",
                ),
            ),
            width=8,
            no_value="none",
        ),
        Panel(
            title="Refused by EC2 per hour",
            about="Launches of all pools for which AWS had no capacity: add instance types, zones or another capacity"
            " type.",
            kind="bars",
            queries=(Query(expr=f"sum({count_new(_REFUSED, '1h')})", legend="no capacity"),),
            width=8,
            no_value="none",
        ),
        Panel(
            title="Start time of nodes",
            about="Time from the NodeClaim until it is launched, registered and initialized. Half of the nodes of the"
            " last six hours, and 9 of 10, are quicker. Slow to register: AMI and network. Slow to initialize:"
            " driver, MIG layout, device plugin.",
            kind="lines",
            queries=tuple(
                Query(
                    expr=f"histogram_quantile({part}, sum by (type, le) ({count_new(_TRANSITIONS, '6h')}))",
                    legend=f"{{{{type}}}}, {words}",
                )
                for part, words in ((0.5, "half"), (0.9, "9 of 10"))
            ),
            unit="s",
            no_value="no nodes",
        ),
        Panel(
            title="Ceiling used, by pool",
            about="GPUs that Karpenter has launched, as a share of `maxGpus`.",
            kind="lines",
            queries=(
                Query(
                    expr=f"max by (nodepool) (max by (nodepool, resource_type) ({_USAGE})"
                    " / on (nodepool, resource_type)"
                    " (max by (nodepool, resource_type) (karpenter_nodepools_limit) > 0))",
                    legend="{{nodepool}}",
                ),
            ),
            unit="percentunit",
            maximum=1,
            thresholds=PERCENT,
            no_value="no ceilings",
        ),
    ),
)

AUTOSCALING = Dashboard(
    uid="gpu-autoscaling",
    title="GPU autoscaling",
    about="Demand and supply: replicas, waiting pods, and nodes that start and stop.",
    variables=(POOL, TENANT, NAMESPACE_OF_TENANT),
    rows=(_NOW, _REPLICAS, _WAIT, _NODES),
)
