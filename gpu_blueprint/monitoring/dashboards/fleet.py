"""All pools: money spent, money wasted, and the pools and tenants behind it."""

from .panels import Dashboard, Panel, Query, Row
from .queries import POOL, POOLS, SPENT, count_series

_WASTED = f"gpu_pool:wasted_usd_per_hour:sum{{{POOLS}}}"
_HELD = f"gpu_pool_tenant:gpus:allocated{{{POOLS}}}"
_USED = f"gpu_pool_tenant:gpus:used{{{POOLS}}}"
_IDLE = f"gpu_pool_tenant:gpus:idle{{{POOLS}}}"
_TOTAL = f"gpu_pool:gpus:total{{{POOLS}}}"
_HALF = ((0.25, "orange"), (0.5, "red"))
_FIRING = 'ALERTS{alertstate="firing",source="gpu-blueprint"}'

_MONEY = Row(
    "Money",
    (
        Panel(
            title="Spent per hour",
            about="All running GPU nodes at the catalogue's prices, with the discounts of the stack file. Nodes"
            " without a known price are left out. Compare with `blueprint cost STACK`; AWS's own figures arrive"
            " a day later.",
            kind="number",
            queries=(Query(expr=f"sum({SPENT})"),),
            unit="currencyUSD",
            width=5,
            height=4,
        ),
        Panel(
            title="Wasted per hour",
            about="Cost of GPUs that no pod holds, and of GPUs that pods have held for an hour without using them.",
            kind="number",
            queries=(Query(expr=f"sum({_WASTED})"),),
            unit="currencyUSD",
            thresholds=((1, "orange"), (20, "red")),
            width=4,
            height=4,
        ),
        Panel(
            title="Share wasted",
            about="Wasted money as a share of the money spent. A part of it buys quick starts of pods. Above one"
            " half, look below for the pools and tenants that waste it.",
            kind="number",
            queries=(Query(expr=f"sum({_WASTED}) / sum({SPENT})"),),
            unit="percentunit",
            thresholds=_HALF,
            width=4,
            height=4,
        ),
        Panel(
            title="Wasted in this period",
            about="US dollars wasted in the period chosen at the top right: the amount that acting on this page can"
            " save.",
            kind="number",
            # Each sample of the subquery stands for five minutes.
            queries=(Query(expr=f"sum(sum_over_time({_WASTED}[$__range:5m])) / 12"),),
            unit="currencyUSD",
            width=5,
            height=4,
        ),
        Panel(
            title="GPUs at work",
            about="Activity of all GPUs added up, as a share of all GPUs.",
            kind="number",
            queries=(Query(expr=f"(sum({_USED}) or vector(0)) / sum({_TOTAL})"),),
            unit="percentunit",
            width=3,
            height=4,
        ),
        Panel(
            title="Alerts",
            about="Number of firing alerts. The end of this page lists them.",
            kind="number",
            queries=(Query(expr=count_series(_FIRING)),),
            thresholds=((1, "red"),),
            width=3,
            height=4,
        ),
        Panel(
            title="US dollars per hour",
            about="Money spent and money wasted. The gap should be wide and follow the working day.",
            kind="lines",
            queries=(
                Query(expr=f"sum({SPENT})", legend="spent", color="blue"),
                Query(expr=f"sum({_WASTED})", legend="wasted", color="red"),
            ),
            unit="currencyUSD",
        ),
        Panel(
            title="GPUs by use",
            about="All GPUs of running nodes: at work, held by a pod that does not use them now, and free."
            " If many are free for long, nodes are not consolidated or pools are too large.",
            kind="areas",
            queries=(
                Query(expr=f"sum({_USED})", legend="at work", color="green"),
                Query(
                    expr=f"clamp_min(sum({_HELD}) - (sum({_USED}) or vector(0)), 0)",
                    legend="held, not at work",
                    color="orange",
                ),
                Query(expr=f"sum(gpu_pool:gpus:free{{{POOLS}}})", legend="free", color="gray"),
            ),
        ),
    ),
)
_WHERE = Row(
    "Waste",
    (
        Panel(
            title="Waste by pool",
            about="US dollars per hour. A pool at the top has nodes that nobody needs, or pods that hold GPUs and do"
            " nothing.",
            kind="ranking",
            queries=(Query(expr=f"sort_desc({_WASTED} > 0)", legend="{{pool}}"),),
            unit="currencyUSD",
            thresholds=((1, "orange"), (20, "red")),
            width=6,
            no_value="nothing",
        ),
        Panel(
            title="Waste by tenant",
            about="US dollars per hour for GPUs that a tenant holds and does not use. Free GPUs belong to no tenant.",
            kind="ranking",
            queries=(
                Query(
                    expr=f"sort_desc(sum by (tenant) (gpu_pool_tenant:wasted_usd_per_hour:sum{{{POOLS}}}) > 0)",
                    legend="{{tenant}}",
                ),
            ),
            unit="currencyUSD",
            thresholds=((1, "orange"), (20, "red")),
            width=6,
            no_value="nothing",
        ),
        Panel(
            title="Pods that waste most",
            about="Pods that have held GPUs for an hour with nearly no activity. Ask their owners, then scale them to"
            " 0.",
            kind="table",
            queries=(
                Query(
                    expr="topk(20, sum by (namespace, pod, pool)"
                    f" (gpu_pod:gpus:idle{{{POOLS}}} * on (pool) group_left () gpu_pool:usd_per_gpu_hour:avg)) > 0",
                    legend="$ an hour",
                    unit="currencyUSD",
                ),
                Query(expr=f"sum by (namespace, pod, pool) (gpu_pod:gpus:idle{{{POOLS}}}) > 0", legend="GPUs"),
            ),
            no_value="nobody",
        ),
    ),
)
_WHO = Row(
    "Pools and tenants",
    (
        Panel(
            title="Pools",
            about="GPUs of running nodes by pool, their use, and the price of a GPU. The dashboard GPU pool shows a"
            " pool in detail.",
            kind="table",
            queries=(
                Query(expr=f"sum by (pool) ({_WASTED})", legend="wasted $/h", unit="currencyUSD"),
                Query(expr=f"sum by (pool) ({_TOTAL})", legend="GPUs"),
                Query(expr=f"sum by (pool) ({_HELD})", legend="held"),
                Query(expr=f"sum by (pool) ({_USED})", legend="at work"),
                Query(expr=f"sum by (pool) ({_IDLE})", legend="idle 1 h"),
                Query(expr=f"sum by (pool) (gpu_pool:gpus:free{{{POOLS}}})", legend="free"),
                Query(
                    expr=f"sum by (pool) (gpu_pool:usd_per_gpu_hour:avg{{{POOLS}}})",
                    legend="$/GPU h",
                    unit="currencyUSD",
                ),
            ),
        ),
        Panel(
            title="Tenants",
            about="GPUs that tenants hold, and how much they use them. `none` stands for namespaces that belong to no"
            " tenant.",
            kind="table",
            queries=(
                Query(
                    expr=f"sum by (tenant) (gpu_pool_tenant:wasted_usd_per_hour:sum{{{POOLS}}})",
                    legend="wasted $/h",
                    unit="currencyUSD",
                ),
                Query(expr=f"sum by (tenant) ({_HELD})", legend="held"),
                Query(expr=f"sum by (tenant) ({_USED})", legend="at work"),
                Query(expr=f"sum by (tenant) ({_IDLE})", legend="idle 1 h"),
                Query(
                    expr=f"avg by (tenant) (gpu_pool_tenant:sm_active:avg{{{POOLS}}})",
                    legend="SM active",
                    unit="percentunit",
                ),
            ),
        ),
        Panel(
            title="SM activity",
            about="Share of cycles in which the SMs of held GPUs had work. If GPUs are at work and SM activity is"
            " low, batches are too small or the program waits for data.",
            kind="lines",
            queries=(Query(expr=f"gpu_pool_tenant:sm_active:avg{{{POOLS}}}", legend="{{pool}} · {{tenant}}"),),
            unit="percentunit",
            maximum=1,
        ),
        Panel(
            title="Firing alerts",
            about="Alerts that fire now. docs/alerts.md explains each alert and the first steps.",
            kind="table",
            queries=(
                Query(
                    expr=f"count by (severity, alertname, pool, nodepool, node, namespace, pod) ({_FIRING})",
                    legend="times",
                ),
            ),
            no_value="none",
        ),
    ),
)

FLEET = Dashboard(
    uid="gpu-fleet",
    title="GPU fleet",
    about="Cost of all GPUs, the part that is wasted, and the pools and tenants that waste it.",
    variables=(POOL,),
    rows=(_MONEY, _WHERE, _WHO),
)
