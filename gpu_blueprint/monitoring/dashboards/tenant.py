"""One tenant: what it holds, what it does with it, and what it may still ask for."""

from .panels import PERCENT, Dashboard, Panel, Query, Row
from .queries import FIRST_TENANT, NAMESPACE_OF_TENANT, OF_TENANT, SPACES, TENANTS, WAITED, WAITING

_HELD = f"gpu_pool_tenant:gpus:allocated{{{TENANTS}}}"
_USED = f"gpu_pool_tenant:gpus:used{{{TENANTS}}}"
_IDLE = f"gpu_pool_tenant:gpus:idle{{{TENANTS}}}"
_WASTED = f"gpu_pool_tenant:wasted_usd_per_hour:sum{{{TENANTS}}}"
_IDLE_PODS = f"gpu_pod:gpus:idle{{{SPACES}}}"
_QUOTA = f'kube_resourcequota{{{SPACES},resource=~"requests.nvidia.com/.+",type='
_USED_QUOTA = f'max by (namespace, resource) ({_QUOTA}"used"}})'
_HARD_QUOTA = f'max by (namespace, resource) ({_QUOTA}"hard"}})'
# A namespace has a quota of 0 for each resource that it may not use.
_GRANTED = f"({_HARD_QUOTA} > 0)"
_QUOTA_SHARE = f"{_USED_QUOTA} / on (namespace, resource) {_GRANTED}"

_NOW = Row(
    "Now",
    (
        Panel(
            title="GPUs",
            about="GPUs that the tenant's pods hold, that are at work this moment, and that have done nothing for an hour.",
            kind="number",
            queries=(
                Query(expr=f"sum({_HELD}) or vector(0)", legend="held"),
                Query(expr=f"sum({_USED}) or vector(0)", legend="at work"),
                Query(expr=f"sum({_IDLE}) or vector(0)", legend="idle 1 h", steps=((0.01, "orange"), (1, "red"))),
            ),
            width=10,
            height=4,
        ),
        Panel(
            title="Wasted an hour",
            about="US dollars for GPUs that are held and idle: what ending the pods below saves.",
            kind="number",
            queries=(Query(expr=f"sum({_WASTED}) or vector(0)"),),
            unit="currencyUSD",
            steps=((1, "orange"), (20, "red")),
            width=5,
            height=4,
        ),
        Panel(
            title="SM active",
            about="How much of the SMs' time is used in the GPUs that are held: the mean over pools.",
            kind="number",
            queries=(Query(expr=f"avg(gpu_pool_tenant:sm_active:avg{{{TENANTS}}})"),),
            unit="percentunit",
            width=3,
            height=4,
            nothing="–",
        ),
        Panel(
            title="Quota used",
            about="Of the resource that is used most. At 100 % the next pod is refused, not queued.",
            kind="number",
            queries=(Query(expr=f"max({_QUOTA_SHARE})"),),
            unit="percentunit",
            steps=PERCENT,
            width=3,
            height=4,
            nothing="no quota",
        ),
        Panel(
            title="Pods waiting",
            about="Pods that wait for GPUs; below, for how long.",
            kind="number",
            queries=(Query(expr=f"count({WAITING} {OF_TENANT}) or vector(0)"),),
            steps=((1, "orange"), (10, "red")),
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
            about="Pods that have held GPUs for an hour and done nothing: end them, or ask whoever started them.",
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
            nothing="none",
        ),
        Panel(
            title="Quota",
            about="What each namespace has requested of what it may, by resource as Kubernetes counts it: whole GPUs, shares or"
            " slices. Full and idle at once: end idle pods before you ask for more.",
            kind="table",
            queries=(
                Query(expr=f"{_QUOTA_SHARE}", legend="share", unit="percentunit", steps=PERCENT),
                Query(expr=f"{_USED_QUOTA} and on (namespace, resource) {_GRANTED}", legend="used"),
                Query(expr=_GRANTED, legend="hard"),
            ),
            nothing="no quota",
        ),
    ),
)
_TIME = Row(
    "Over time",
    (
        Panel(
            title="Held, by pool",
            about="GPUs that the tenant's pods hold; slices are counted as parts of a GPU.",
            kind="areas",
            queries=(Query(expr=f"sum by (pool) ({_HELD})", legend="{{pool}}"),),
            width=8,
        ),
        Panel(
            title="At work, by pool",
            about="Activity of these GPUs added up. Nothing at night and full quotas by day: give the pool hours, or queue jobs.",
            kind="areas",
            queries=(Query(expr=f"sum by (pool) ({_USED})", legend="{{pool}}"),),
            width=8,
        ),
        Panel(
            title="Units held, by resource",
            about="The same as pods ask for it: GPUs, shares and MIG instances, each by its resource.",
            kind="areas",
            queries=(
                Query(expr=f"sum by (resource) (gpu_pool_tenant:slices:allocated{{{TENANTS}}})", legend="{{resource}}"),
            ),
            width=8,
        ),
        Panel(
            title="Wasted, by pool",
            about="US dollars an hour for GPUs that were held and idle.",
            kind="areas",
            queries=(Query(expr=f"sum by (pool) ({_WASTED})", legend="{{pool}}"),),
            unit="currencyUSD",
            width=8,
        ),
        Panel(
            title="SM active, by pool",
            about="Share of cycles in which SMs had work. Low for days: a smaller slice does the same for less.",
            kind="lines",
            queries=(Query(expr=f"avg by (pool) (gpu_pool_tenant:sm_active:avg{{{TENANTS}}})", legend="{{pool}}"),),
            unit="percentunit",
            most=1,
            width=8,
        ),
        Panel(
            title="GPU memory, by pod",
            about="Framebuffer memory of the GPUs or MIG instances that a pod holds. Pods that share a GPU each show all of it.",
            kind="lines",
            queries=(
                Query(
                    # The exporter's own value for a pod is that of processes which it does not see: 0.
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
            about="Since when they wait. The scheduler's reason: `kubectl describe pod`; ours: quota, ceiling or no capacity in AWS.",
            kind="table",
            queries=(Query(expr=f"({WAITED}) {OF_TENANT}", legend="waits", unit="s"),),
            width=24,
            height=6,
            nothing="none",
        ),
    ),
)

TENANT_PAGE = Dashboard(
    uid="gpu-tenant",
    title="GPU tenant",
    about="What a team holds, what it does with it, and what it may still ask for.",
    variables=(FIRST_TENANT, NAMESPACE_OF_TENANT),
    rows=(_NOW, _PODS, _TIME),
)
