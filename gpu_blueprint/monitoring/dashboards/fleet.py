"""All pools: what is spent, what of it does nothing, and where."""

from .panels import Dashboard, Panel, Query, Row
from .queries import MEASURED, NOT_MEASURED, POOL, POOLS, SPENT, how_many

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
            title="Spent an hour",
            about="All GPU nodes that run, at the catalogue's prices with what the stack file says of discounts;"
            " what it has no price for is left out. Compare with `blueprint cost STACK`; AWS's own figures come a day later.",
            kind="number",
            queries=(Query(expr=f"sum({SPENT})"),),
            unit="currencyUSD",
            width=5,
            height=4,
        ),
        Panel(
            title="Wasted an hour",
            about="GPUs of running nodes that nobody holds, and GPUs that pods have held for an hour without using them.",
            kind="number",
            queries=(Query(expr=f"sum({_WASTED})"),),
            unit="currencyUSD",
            steps=((1, "orange"), (20, "red")),
            width=4,
            height=4,
        ),
        Panel(
            title="Wasted of it",
            about="The same as a part of what is spent. Some is the price of quick starts; above a half, look below for who.",
            kind="number",
            queries=(Query(expr=f"sum({_WASTED}) / sum({SPENT})"),),
            unit="percentunit",
            steps=_HALF,
            width=4,
            height=4,
        ),
        Panel(
            title="Wasted in this time",
            about="US dollars in the time that is chosen at the top right: what acting on this page is worth.",
            kind="number",
            # Each of the subquery's samples stands for five minutes.
            queries=(Query(expr=f"sum(sum_over_time({_WASTED}[$__range:5m])) / 12"),),
            unit="currencyUSD",
            width=5,
            height=4,
        ),
        Panel(
            title="GPUs at work",
            about="Activity of all GPUs added up, beside the GPUs there are, in pools whose nodes run dcgm-exporter.",
            kind="number",
            queries=(Query(expr=f"(sum({_USED} {MEASURED}) or vector(0)) / sum({_TOTAL} {MEASURED})"),),
            unit="percentunit",
            width=3,
            height=4,
        ),
        Panel(
            title="Alerts",
            about="Alerts that fire; they stand at the end of this page.",
            kind="number",
            queries=(Query(expr=how_many(_FIRING)),),
            steps=((1, "red"),),
            width=3,
            height=4,
        ),
        Panel(
            title="US dollars an hour",
            about="What is spent and what of it is wasted. The gap should be wide and follow the working day.",
            kind="lines",
            queries=(
                Query(expr=f"sum({SPENT})", legend="spent", color="blue"),
                Query(expr=f"sum({_WASTED})", legend="wasted", color="red"),
            ),
            unit="currencyUSD",
        ),
        Panel(
            title="What GPUs do",
            about="All GPUs of running nodes: at work, held by a pod that does not use them now, held where nothing measures,"
            " and free. Much free for long: nodes are not consolidated, or pools too large.",
            kind="areas",
            queries=(
                Query(expr=f"sum({_USED})", legend="at work", color="green"),
                Query(
                    expr=f"clamp_min(sum({_HELD} {MEASURED}) - (sum({_USED}) or vector(0)), 0)",
                    legend="held, not at work",
                    color="orange",
                ),
                Query(expr=f"sum({_HELD} {NOT_MEASURED})", legend="held, not measured", color="purple"),
                Query(expr=f"sum(gpu_pool:gpus:free{{{POOLS}}})", legend="free", color="gray"),
            ),
        ),
    ),
)
_WHERE = Row(
    "Where it goes",
    (
        Panel(
            title="Waste by pool",
            about="US dollars an hour. A pool at the top has nodes that nobody needs, or holders who do nothing.",
            kind="ranking",
            queries=(Query(expr=f"sort_desc({_WASTED} > 0)", legend="{{pool}}"),),
            unit="currencyUSD",
            steps=((1, "orange"), (20, "red")),
            width=6,
            nothing="nothing",
        ),
        Panel(
            title="Waste by tenant",
            about="US dollars an hour for GPUs that a tenant holds and does not use; free GPUs are nobody's.",
            kind="ranking",
            queries=(
                Query(
                    expr=f"sort_desc(sum by (tenant) (gpu_pool_tenant:wasted_usd_per_hour:sum{{{POOLS}}}) > 0)",
                    legend="{{tenant}}",
                ),
            ),
            unit="currencyUSD",
            steps=((1, "orange"), (20, "red")),
            width=6,
            nothing="nothing",
        ),
        Panel(
            title="Pods that waste most",
            about="Pods that have held GPUs for an hour at next to no activity. Ask their owners; then scale them to 0.",
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
            nothing="nobody",
        ),
    ),
)
_WHO = Row(
    "Pools and tenants",
    (
        Panel(
            title="Pools",
            about="GPUs of running nodes by pool, who has them, and what one costs. For one of them, open the page GPU pool.",
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
            about="GPUs that tenants hold, and what they do with them. `none` are namespaces that belong to no tenant.",
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
            about="Share of cycles in which the SMs of GPUs that are held had work. High `at work` with low SM activity:"
            " small batches, or a program that waits for data.",
            kind="lines",
            queries=(Query(expr=f"gpu_pool_tenant:sm_active:avg{{{POOLS}}}", legend="{{pool}} · {{tenant}}"),),
            unit="percentunit",
            most=1,
        ),
        Panel(
            title="Alerts that fire",
            about="What each means and what to do first: docs/alerts.md.",
            kind="table",
            queries=(
                Query(
                    expr=f"count by (severity, alertname, pool, nodepool, node, namespace, pod) ({_FIRING})",
                    legend="times",
                ),
            ),
            nothing="none",
        ),
    ),
)

FLEET = Dashboard(
    uid="gpu-fleet",
    title="GPU fleet",
    about="What all GPUs cost, what of it is wasted, and by whom.",
    variables=(POOL,),
    rows=(_MONEY, _WHERE, _WHO),
)
