"""The chosen pools: their nodes, the holders of their GPUs, and the activity of the GPUs."""

from ..alerts.gpu import HOT_CELSIUS
from ..facts import PER_UNIT
from ..recording import NODE, count_new
from .panels import PERCENT, Dashboard, Panel, Query, Row
from .queries import FIRST_POOL, NODE_OF_POOL, NODEPOOLS, POOLS, SPENT, WAITING, count_series, select_devices

_HELD = f"gpu_pool_tenant:gpus:allocated{{{POOLS}}}"
_CEILING = (
    f'max by (nodepool, resource_type) (karpenter_nodepools_usage{{{NODEPOOLS},resource_type=~"nvidia.com/.+"}})'
    " / on (nodepool, resource_type) (max by (nodepool, resource_type) (karpenter_nodepools_limit) > 0)"
)
# Several pools may offer the same resource: the pod may land in each of them.
_WAITING = f"({WAITING} and on (resource) {PER_UNIT}{{{POOLS}}})"
_TAKEN_BACK = f'karpenter_nodeclaims_disrupted_total{{{NODEPOOLS},reason="spot_interrupted"}}'
_GPU = "{{node}} {{gpu}}"
_DEVICE = f"{_GPU} {{{{GPU_I_ID}}}}"
"""Legend of a GPU or MIG instance."""

_NOW = Row(
    "Now",
    (
        Panel(
            title="Nodes",
            about="Nodes of the pool that have joined the cluster.",
            kind="number",
            queries=(Query(expr=count_series(f"{NODE}{{{POOLS}}}")),),
            width=3,
            height=4,
        ),
        Panel(
            title="GPUs",
            about="GPUs that the nodes offer, GPUs that pods hold, and free GPUs. Slices count as parts of a GPU.",
            kind="number",
            queries=(
                Query(expr=f"sum(gpu_pool:gpus:total{{{POOLS}}})", legend="all"),
                Query(expr=f"sum({_HELD}) or vector(0)", legend="held"),
                Query(expr=f"sum(gpu_pool:gpus:free{{{POOLS}}})", legend="free"),
            ),
            width=8,
            height=4,
        ),
        Panel(
            title="$ per hour",
            about="Cost of the pool's nodes, and the part of it that nobody uses.",
            kind="number",
            queries=(
                Query(expr=f"sum({SPENT})", legend="spent"),
                Query(expr=f"sum(gpu_pool:wasted_usd_per_hour:sum{{{POOLS}}})", legend="wasted"),
            ),
            unit="currencyUSD",
            width=6,
            height=4,
        ),
        Panel(
            title="Ceiling used",
            about="GPUs that Karpenter has launched, as a share of `maxGpus`. At the ceiling pods wait: raise"
            " `maxGpus`, or free GPUs.",
            kind="number",
            queries=(Query(expr=f"max({_CEILING})"),),
            unit="percentunit",
            thresholds=PERCENT,
            width=4,
            height=4,
            no_value="no ceiling",
        ),
        Panel(
            title="Pods waiting",
            about="Pods without a node that request a resource of the pool. The dashboard GPU autoscaling lists them.",
            kind="number",
            queries=(Query(expr=count_series(_WAITING)),),
            thresholds=((1, "orange"), (10, "red")),
            width=3,
            height=4,
        ),
    ),
)
_NODES = Row(
    "Nodes",
    (
        Panel(
            title="Nodes by type",
            about="Instance types and capacity types of the nodes. Many on-demand nodes in a spot pool mean that spot"
            " has run out: add instance types or zones.",
            kind="areas",
            queries=(
                Query(
                    expr=f"count by (instance_type, capacity_type) ({NODE}{{{POOLS}}})",
                    legend="{{instance_type}} {{capacity_type}}",
                ),
            ),
            width=8,
        ),
        Panel(
            title="Ceiling used, by resource",
            about="A line that stays at the top means that work waits for `maxGpus`, not for AWS.",
            kind="lines",
            queries=(Query(expr=_CEILING, legend="{{nodepool}} {{resource_type}}"),),
            unit="percentunit",
            maximum=1,
            width=8,
            no_value="no ceiling",
        ),
        Panel(
            title="Spot interruptions per hour",
            about="Spot nodes that EC2 took back. If it happens often, add instance types and zones, or on-demand"
            " after spot.",
            kind="bars",
            queries=(
                Query(
                    expr=f"sum by (nodepool) ({count_new(_TAKEN_BACK, '1h')})",
                    legend="{{nodepool}}",
                ),
            ),
            width=8,
            no_value="none",
        ),
    ),
)
_HOLDERS = Row(
    "Holders of the GPUs",
    (
        Panel(
            title="Held, by tenant",
            about="GPUs that the pods of each tenant hold, and free GPUs.",
            kind="areas",
            queries=(
                Query(expr=f"sum by (tenant) ({_HELD})", legend="{{tenant}}"),
                Query(expr=f"sum(gpu_pool:gpus:free{{{POOLS}}})", legend="free"),
            ),
            width=8,
        ),
        Panel(
            title="At work, by tenant",
            about="Activity of the tenants' GPUs added up. If it is far below the held GPUs, smaller slices or shared"
            " GPUs are enough.",
            kind="areas",
            queries=(Query(expr=f"sum by (tenant) (gpu_pool_tenant:gpus:used{{{POOLS}}})", legend="{{tenant}}"),),
            width=8,
        ),
        Panel(
            title="Idle for an hour, by tenant",
            about="GPUs that pods have held for an hour without using them. The dashboard GPU tenant names the pods.",
            kind="areas",
            queries=(Query(expr=f"sum by (tenant) (gpu_pool_tenant:gpus:idle{{{POOLS}}})", legend="{{tenant}}"),),
            width=8,
        ),
    ),
)
_WORK = Row(
    "Activity of the GPUs",
    (
        Panel(
            title="Mean activity",
            about="Mean over the chosen nodes. Busy SMs with an idle tensor pipe: wrong kernels or number format."
            " High DRAM: bound by memory. Low occupancy: batches too small.",
            kind="lines",
            queries=tuple(
                Query(expr=f"avg({select_devices(f'DCGM_FI_PROF_{field}', 'GPU_I_ID')})", legend=legend)
                for field, legend in (
                    ("SM_ACTIVE", "SM active"),
                    ("SM_OCCUPANCY", "SM occupancy"),
                    ("PIPE_TENSOR_ACTIVE", "tensor"),
                    ("DRAM_ACTIVE", "DRAM"),
                )
            ),
            unit="percentunit",
            maximum=1,
        ),
        Panel(
            title="SM active, by GPU",
            about="A line for each GPU or MIG instance. In a job that spans GPUs, a GPU below the others delays all"
            " of them.",
            kind="lines",
            queries=(Query(expr=select_devices("DCGM_FI_PROF_SM_ACTIVE", "GPU_I_ID"), legend=_DEVICE),),
            unit="percentunit",
            maximum=1,
        ),
        Panel(
            title="Memory used, by GPU",
            about="Framebuffer memory. If it never exceeds the memory of a smaller slice, use the smaller slice.",
            kind="lines",
            queries=(Query(expr=select_devices("DCGM_FI_DEV_FB_USED", "GPU_I_ID"), legend=_DEVICE),),
            unit="mbytes",
        ),
        Panel(
            title="Memory free, by GPU",
            about="Framebuffer memory. Near zero, the next allocation of a program fails.",
            kind="lines",
            queries=(Query(expr=select_devices("DCGM_FI_DEV_FB_FREE", "GPU_I_ID"), legend=_DEVICE),),
            unit="mbytes",
        ),
        Panel(
            title="Temperature, by GPU",
            about=f"A GPU above {HOT_CELSIUS} °C will be throttled soon.",
            kind="lines",
            queries=(Query(expr=select_devices("DCGM_FI_DEV_GPU_TEMP"), legend=_GPU),),
            unit="celsius",
            width=8,
        ),
        Panel(
            title="Power, by GPU",
            about="Real load of a GPU: a GPU that is active at a third of its power waits for something.",
            kind="lines",
            queries=(Query(expr=select_devices("DCGM_FI_DEV_POWER_USAGE"), legend=_GPU),),
            unit="watt",
            width=8,
        ),
        Panel(
            title="NVLink, by GPU",
            about="Bandwidth over all links, as DCGM reports it. A job on several GPUs with nearly no traffic does"
            " not use NVLink.",
            kind="lines",
            queries=(
                Query(
                    expr=select_devices("DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL"),
                    legend=_GPU,
                ),
            ),
            width=8,
            no_value="no NVLink",
        ),
    ),
)

POOL_PAGE = Dashboard(
    uid="gpu-pool",
    title="GPU pool",
    about="The nodes of a pool, the holders of its GPUs, and the activity of the GPUs.",
    variables=(FIRST_POOL, NODE_OF_POOL),
    rows=(_NOW, _NODES, _HOLDERS, _WORK),
)
