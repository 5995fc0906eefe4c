"""One pool, or several: its nodes, who holds its GPUs, and how well they work."""

from ..alerts.gpu import HOT_CELSIUS
from ..facts import PER_UNIT
from ..recording import NODE, within
from .panels import PERCENT, Dashboard, Panel, Query, Row
from .queries import FIRST_POOL, NODE_OF_POOL, NODEPOOLS, POOLS, SPENT, WAITING, how_many, of_gpu

_HELD = f"gpu_pool_tenant:gpus:allocated{{{POOLS}}}"
_CEILING = (
    f'max by (nodepool, resource_type) (karpenter_nodepools_usage{{{NODEPOOLS},resource_type=~"nvidia.com/.+"}})'
    " / on (nodepool, resource_type) (max by (nodepool, resource_type) (karpenter_nodepools_limit) > 0)"
)
# A resource may be that of several pools: then the pod may land in each.
_WAITING = f"({WAITING} and on (resource) {PER_UNIT}{{{POOLS}}})"
_TAKEN_BACK = f'karpenter_nodeclaims_disrupted_total{{{NODEPOOLS},reason="spot_interrupted"}}'
_GPU = "{{node}} {{gpu}}"
_DEVICE = f"{_GPU} {{{{GPU_I_ID}}}}"
"""A GPU, or a MIG instance of it."""

_NOW = Row(
    "Now",
    (
        Panel(
            title="Nodes",
            about="Nodes of the pool that have joined the cluster.",
            kind="number",
            queries=(Query(expr=how_many(f"{NODE}{{{POOLS}}}")),),
            width=3,
            height=4,
        ),
        Panel(
            title="GPUs",
            about="GPUs that they hand out, that pods hold, and that are free; slices are counted as parts of a GPU.",
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
            title="$ an hour",
            about="What its nodes cost, and what of it nobody uses.",
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
            about="What Karpenter has launched, as a part of `maxGpus`. At the ceiling pods wait: raise it, or free some.",
            kind="number",
            queries=(Query(expr=f"max({_CEILING})"),),
            unit="percentunit",
            steps=PERCENT,
            width=4,
            height=4,
            nothing="no ceiling",
        ),
        Panel(
            title="Pods waiting",
            about="Pods on no node that ask for something the pool hands out. The page Autoscaling lists them.",
            kind="number",
            queries=(Query(expr=how_many(_WAITING)),),
            steps=((1, "orange"), (10, "red")),
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
            about="Instance types and how they are bought. Much on-demand in a spot pool: spot has run dry, add types or zones.",
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
            about="A line that stays at the top: work waits for `maxGpus`, not for AWS.",
            kind="lines",
            queries=(Query(expr=_CEILING, legend="{{nodepool}} {{resource_type}}"),),
            unit="percentunit",
            most=1,
            width=8,
            nothing="no ceiling",
        ),
        Panel(
            title="Spot interruptions an hour",
            about="Spot nodes that EC2 took back. Often: more instance types and zones, or on-demand behind spot.",
            kind="bars",
            queries=(
                Query(
                    expr=f"sum by (nodepool) ({within(_TAKEN_BACK, '1h')})",
                    legend="{{nodepool}}",
                ),
            ),
            width=8,
            nothing="none",
        ),
    ),
)
_HOLDERS = Row(
    "Who holds its GPUs",
    (
        Panel(
            title="Held, by tenant",
            about="GPUs that pods of each tenant hold, and those that nobody does.",
            kind="areas",
            queries=(
                Query(expr=f"sum by (tenant) ({_HELD})", legend="{{tenant}}"),
                Query(expr=f"sum(gpu_pool:gpus:free{{{POOLS}}})", legend="free"),
            ),
            width=8,
        ),
        Panel(
            title="At work, by tenant",
            about="Activity of their GPUs added up. Far below what is held: smaller slices or shared GPUs would do.",
            kind="areas",
            queries=(Query(expr=f"sum by (tenant) (gpu_pool_tenant:gpus:used{{{POOLS}}})", legend="{{tenant}}"),),
            width=8,
        ),
        Panel(
            title="Idle for an hour, by tenant",
            about="GPUs that are held and have done nothing for an hour; the page Tenant names the pods.",
            kind="areas",
            queries=(Query(expr=f"sum by (tenant) (gpu_pool_tenant:gpus:idle{{{POOLS}}})", legend="{{tenant}}"),),
            width=8,
        ),
    ),
)
_WORK = Row(
    "How well they work",
    (
        Panel(
            title="Activity, mean",
            about="Mean over the chosen nodes. SMs busy but tensor pipe idle: not the right kernels or number format."
            " DRAM high: bound by memory. Occupancy low: batches too small.",
            kind="lines",
            queries=tuple(
                Query(expr=f"avg({of_gpu(f'DCGM_FI_PROF_{field}', 'GPU_I_ID')})", legend=legend)
                for field, legend in (
                    ("SM_ACTIVE", "SM active"),
                    ("SM_OCCUPANCY", "SM occupancy"),
                    ("PIPE_TENSOR_ACTIVE", "tensor"),
                    ("DRAM_ACTIVE", "DRAM"),
                )
            ),
            unit="percentunit",
            most=1,
        ),
        Panel(
            title="SM active, by GPU",
            about="One line a GPU or MIG instance. In a job that spans GPUs, one line below the others holds all of them up.",
            kind="lines",
            queries=(Query(expr=of_gpu("DCGM_FI_PROF_SM_ACTIVE", "GPU_I_ID"), legend=_DEVICE),),
            unit="percentunit",
            most=1,
        ),
        Panel(
            title="Memory used, by GPU",
            about="Framebuffer memory. If it never passes what a smaller slice has, take the smaller slice.",
            kind="lines",
            queries=(Query(expr=of_gpu("DCGM_FI_DEV_FB_USED", "GPU_I_ID"), legend=_DEVICE),),
            unit="mbytes",
        ),
        Panel(
            title="Memory free, by GPU",
            about="Near zero, the next allocation of a program fails.",
            kind="lines",
            queries=(Query(expr=of_gpu("DCGM_FI_DEV_FB_FREE", "GPU_I_ID"), legend=_DEVICE),),
            unit="mbytes",
        ),
        Panel(
            title="Temperature, by GPU",
            about=f"Above {HOT_CELSIUS} °C GPUs slow down soon.",
            kind="lines",
            queries=(Query(expr=of_gpu("DCGM_FI_DEV_GPU_TEMP"), legend=_GPU),),
            unit="celsius",
            width=8,
        ),
        Panel(
            title="Power, by GPU",
            about="What a GPU really does: one that is active at a third of its power waits for something.",
            kind="lines",
            queries=(Query(expr=of_gpu("DCGM_FI_DEV_POWER_USAGE"), legend=_GPU),),
            unit="watt",
            width=8,
        ),
        Panel(
            title="NVLink, by GPU",
            about="Bandwidth over all links, as DCGM says it. Near nothing in a job on several GPUs: it does not use NVLink.",
            kind="lines",
            queries=(
                Query(
                    expr=of_gpu("DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL"),
                    legend=_GPU,
                ),
            ),
            width=8,
            nothing="no NVLink",
        ),
    ),
)

POOL_PAGE = Dashboard(
    uid="gpu-pool",
    title="GPU pool",
    about="A pool's nodes, who holds its GPUs, and how well they work.",
    variables=(FIRST_POOL, NODE_OF_POOL),
    rows=(_NOW, _NODES, _HOLDERS, _WORK),
)
