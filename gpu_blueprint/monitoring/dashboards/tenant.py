"""The chosen tenants: the GPUs they hold, how much they use them, and their quotas."""

from ..alerts.cost import OF_QUOTA, divide_quotas, select_quotas
from .panels import PERCENT, Dashboard, Panel, Query, Row
from .queries import FIRST_TENANT, NAMESPACE_OF_TENANT, OF_TENANT, SPACES, TENANTS, WAITED, WAITING

_HELD = f"gpu_pool_tenant:gpus:allocated{{{TENANTS}}}"
_USED = f"gpu_pool_tenant:gpus:used{{{TENANTS}}}"
_IDLE = f"gpu_pool_tenant:gpus:idle{{{TENANTS}}}"
_WASTED = f"gpu_pool_tenant:wasted_usd_per_hour:sum{{{TENANTS}}}"
_IDLE_PODS = f"gpu_pod:gpus:idle{{{SPACES}}}"
_GRANTED, _QUOTA_SHARE = select_quotas("hard", SPACES), divide_quotas(SPACES)

_NOW = Row(
    "Now",
    (
        Panel(
            title="GPUs",
            about="GPUs that the tenant's pods hold, GPUs at work now, and GPUs that have been idle for an hour.",
            kind="number",
            queries=(
                Query(expr=f"sum({_HELD}) or vector(0)", legend="held"),
                Query(expr=f"sum({_USED}) or vector(0)", legend="at work"),
                Query(expr=f"sum({_IDLE}) or vector(0)", legend="idle 1 h", thresholds=((0.01, "orange"), (1, "red"))),
            ),
            width=10,
            height=4,
        ),
        Panel(
            title="Wasted per hour",
            about="US dollars for GPUs that are held and idle: ending the pods below saves this amount.",
            kind="number",
            queries=(Query(expr=f"sum({_WASTED}) or vector(0)"),),
            unit="currencyUSD",
            thresholds=((1, "orange"), (20, "red")),
            width=5,
            height=4,
        ),
        Panel(
            title="SM active",
            about="Share of cycles in which the SMs of held GPUs had work: the mean over pools.",
            kind="number",
            queries=(Query(expr=f"avg(gpu_pool_tenant:sm_active:avg{{{TENANTS}}})"),),
            unit="percentunit",
            width=3,
            height=4,
            no_value="–",
        ),
        Panel(
            title="Quota used",
            about="Share used of the resource that is used most. At 100 % Kubernetes refuses the next pod; it does"
            " not queue it.",
            kind="number",
            queries=(Query(expr=f"max({_QUOTA_SHARE})"),),
            unit="percentunit",
            thresholds=PERCENT,
            width=3,
            height=4,
            no_value="no quota",
        ),
        Panel(
            title="Pods waiting",
            about="Pods that wait for GPUs. The table below shows for how long.",
            kind="number",
            queries=(Query(expr=f"count({WAITING} {OF_TENANT}) or vector(0)"),),
            thresholds=((1, "orange"), (10, "red")),
            width=3,
            height=4,
        ),
    ),
)
_PODS = Row(
    "Pods and quota",
    (
        Panel(
            title="Idle pods",
            about="Pods that have held GPUs for an hour without using them: end them, or ask their owners.",
            kind="table",
            queries=(
                Query(
                    expr=f"sum by (namespace, pod, pool) ({_IDLE_PODS} * on (pool) group_left ()"
                    " gpu_pool:usd_per_gpu_hour:avg) > 0",
                    legend="$ an hour",
                    unit="currencyUSD",
                ),
                Query(expr=f"sum by (namespace, pod, pool) ({_IDLE_PODS}) > 0", legend="GPUs"),
            ),
            no_value="none",
        ),
        Panel(
            title="Quota",
            about="Requested and allowed amount of each namespace, by resource as Kubernetes counts it: whole GPUs,"
            " shares or slices. If a quota is full and pods are idle, end the idle pods before you ask for"
            " more.",
            kind="table",
            queries=(
                Query(expr=_QUOTA_SHARE, legend="share", unit="percentunit", thresholds=PERCENT),
                Query(expr=f"{select_quotas('used', SPACES)} and on {OF_QUOTA} {_GRANTED}", legend="used"),
                Query(expr=_GRANTED, legend="hard"),
            ),
            no_value="no quota",
        ),
    ),
)
_TIME = Row(
    "Over time",
    (
        Panel(
            title="Held, by pool",
            about="GPUs that the tenant's pods hold. Slices count as parts of a GPU.",
            kind="areas",
            queries=(Query(expr=f"sum by (pool) ({_HELD})", legend="{{pool}}"),),
            width=8,
        ),
        Panel(
            title="At work, by pool",
            about="Activity of these GPUs added up. If it is zero at night and quotas are full by day, give the pool"
            " `hours`, or queue jobs.",
            kind="areas",
            queries=(Query(expr=f"sum by (pool) ({_USED})", legend="{{pool}}"),),
            width=8,
        ),
        Panel(
            title="Units held, by resource",
            about="Units that pods hold, as they request them: GPUs, shares and MIG instances, by resource.",
            kind="areas",
            queries=(
                Query(expr=f"sum by (resource) (gpu_pool_tenant:slices:allocated{{{TENANTS}}})", legend="{{resource}}"),
            ),
            width=8,
        ),
        Panel(
            title="Wasted, by pool",
            about="US dollars per hour for GPUs that were held and idle.",
            kind="areas",
            queries=(Query(expr=f"sum by (pool) ({_WASTED})", legend="{{pool}}"),),
            unit="currencyUSD",
            width=8,
        ),
        Panel(
            title="SM active, by pool",
            about="Share of cycles in which SMs had work. If it is low for days, a smaller slice does the same work"
            " for less.",
            kind="lines",
            queries=(Query(expr=f"avg by (pool) (gpu_pool_tenant:sm_active:avg{{{TENANTS}}})", legend="{{pool}}"),),
            unit="percentunit",
            maximum=1,
            width=8,
        ),
        Panel(
            title="GPU memory, by pod",
            about="Framebuffer memory of the GPUs or MIG instances that a pod holds. Pods that share a GPU each show"
            " all of its memory.",
            kind="lines",
            queries=(
                Query(
                    # The value that the exporter gives a pod is 0: it does not see the processes of the pod.
                    expr="sum by (namespace, pod) (max by (node, gpu, GPU_I_ID, namespace, pod)"
                    f' (DCGM_FI_PROF_SM_ACTIVE{{{SPACES},pod!=""}}) * 0 + on (node, gpu, GPU_I_ID) group_left ()'
                    " max by (node, gpu, GPU_I_ID) (DCGM_FI_DEV_FB_USED))",
                    legend="{{pod}}",
                ),
            ),
            unit="mbytes",
            width=8,
        ),
        Panel(
            title="Pods that wait for GPUs",
            about="Waiting time of each pod. `kubectl describe pod` shows the scheduler's reason. Usual causes:"
            " quota, ceiling, or no capacity in AWS.",
            kind="table",
            queries=(Query(expr=f"({WAITED}) {OF_TENANT}", legend="waits", unit="s"),),
            width=24,
            height=6,
            no_value="none",
        ),
    ),
)

TENANT_PAGE = Dashboard(
    uid="gpu-tenant",
    title="GPU tenant",
    about="The GPUs that a team holds, how much it uses them, and its quotas.",
    variables=(FIRST_TENANT, NAMESPACE_OF_TENANT),
    rows=(_NOW, _PODS, _TIME),
)
