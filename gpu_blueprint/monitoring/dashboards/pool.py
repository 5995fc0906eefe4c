"""The chosen pools: their nodes, the holders of their GPUs, and the activity of the GPUs."""

from ..alerts.gpu import HOT_CELSIUS
from ..facts import PER_UNIT
from ..recording import NODE, count_new
from .panels import PERCENT, Dashboard, Query, Row, areas, bars, lines, number
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

_NOW = (
    number(
        "Nodes",
        "Nodes of the pool that have joined the cluster.",
        count_series(f"{NODE}{{{POOLS}}}"),
        width=3,
    ),
    number(
        "GPUs",
        "GPUs that the nodes offer, GPUs that pods hold, and free GPUs. Slices count as parts of a GPU.",
        Query(f"sum(gpu_pool:gpus:total{{{POOLS}}})", "all"),
        Query(f"sum({_HELD}) or vector(0)", "held"),
        Query(f"sum(gpu_pool:gpus:free{{{POOLS}}})", "free"),
        width=8,
    ),
    number(
        "$ per hour",
        "Cost of the pool's nodes, and the part of it that nobody uses.",
        Query(f"sum({SPENT})", "spent"),
        Query(f"sum(gpu_pool:wasted_usd_per_hour:sum{{{POOLS}}})", "wasted"),
        unit="currencyUSD",
        width=6,
    ),
    number(
        "Ceiling used",
        "GPUs that Karpenter has launched, as a share of `maxGpus`. At the ceiling pods wait: raise `maxGpus`, or free"
        " GPUs.",
        f"max({_CEILING})",
        unit="percentunit",
        thresholds=PERCENT,
        width=4,
        no_value="no ceiling",
    ),
    number(
        "Pods waiting",
        "Pods without a node that request a resource of the pool. The dashboard GPU autoscaling lists them.",
        count_series(_WAITING),
        thresholds=((1, "orange"), (10, "red")),
        width=3,
    ),
)
_NODES = (
    areas(
        "Nodes by type",
        "Instance types and capacity types of the nodes. Many on-demand nodes in a spot pool mean that spot has run"
        " out: add instance types or zones.",
        Query(f"count by (instance_type, capacity_type) ({NODE}{{{POOLS}}})", "{{instance_type}} {{capacity_type}}"),
        width=8,
    ),
    lines(
        "Ceiling used, by resource",
        "A line that stays at the top means that work waits for `maxGpus`, not for AWS.",
        Query(_CEILING, "{{nodepool}} {{resource_type}}"),
        unit="percentunit",
        maximum=1,
        width=8,
        no_value="no ceiling",
    ),
    bars(
        "Spot interruptions per hour",
        "Spot nodes that EC2 took back. If it happens often, add instance types and zones, or on-demand after spot.",
        Query(f"sum by (nodepool) ({count_new(_TAKEN_BACK, '1h')})", "{{nodepool}}"),
        width=8,
        no_value="none",
    ),
)
_HOLDERS = (
    areas(
        "Held, by tenant",
        "GPUs that the pods of each tenant hold, and free GPUs.",
        Query(f"sum by (tenant) ({_HELD})", "{{tenant}}"),
        Query(f"sum(gpu_pool:gpus:free{{{POOLS}}})", "free"),
        width=8,
    ),
    areas(
        "At work, by tenant",
        "Activity of the tenants' GPUs added up. If it is far below the held GPUs, smaller slices or shared GPUs are"
        " enough.",
        Query(f"sum by (tenant) (gpu_pool_tenant:gpus:used{{{POOLS}}})", "{{tenant}}"),
        width=8,
    ),
    areas(
        "Idle for an hour, by tenant",
        "GPUs that pods have held for an hour without using them. The dashboard GPU tenant names the pods.",
        Query(f"sum by (tenant) (gpu_pool_tenant:gpus:idle{{{POOLS}}})", "{{tenant}}"),
        width=8,
    ),
)
_WORK = (
    lines(
        "Mean activity",
        "Mean over the chosen nodes. Busy SMs with an idle tensor pipe: wrong kernels or number format. High DRAM:"
        " bound by memory. Low occupancy: batches too small.",
        *(
            Query(f"avg({select_devices(f'DCGM_FI_PROF_{field}', 'GPU_I_ID')})", legend)
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
    lines(
        "SM active, by GPU",
        "A line for each GPU or MIG instance. In a job that spans GPUs, a GPU below the others delays all of them.",
        Query(select_devices("DCGM_FI_PROF_SM_ACTIVE", "GPU_I_ID"), _DEVICE),
        unit="percentunit",
        maximum=1,
    ),
    lines(
        "Memory used, by GPU",
        "Framebuffer memory. If it never exceeds the memory of a smaller slice, use the smaller slice.",
        Query(select_devices("DCGM_FI_DEV_FB_USED", "GPU_I_ID"), _DEVICE),
        unit="mbytes",
    ),
    lines(
        "Memory free, by GPU",
        "Framebuffer memory. Near zero, the next allocation of a program fails.",
        Query(select_devices("DCGM_FI_DEV_FB_FREE", "GPU_I_ID"), _DEVICE),
        unit="mbytes",
    ),
    lines(
        "Temperature, by GPU",
        f"A GPU above {HOT_CELSIUS} °C will be throttled soon.",
        Query(select_devices("DCGM_FI_DEV_GPU_TEMP"), _GPU),
        unit="celsius",
        width=8,
    ),
    lines(
        "Power, by GPU",
        "Real load of a GPU: a GPU that is active at a third of its power waits for something.",
        Query(select_devices("DCGM_FI_DEV_POWER_USAGE"), _GPU),
        unit="watt",
        width=8,
    ),
    lines(
        "NVLink, by GPU",
        "Bandwidth over all links, as DCGM reports it. A job on several GPUs with nearly no traffic does not use"
        " NVLink.",
        Query(select_devices("DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL"), _GPU),
        width=8,
        no_value="no NVLink",
    ),
)

POOL_PAGE = Dashboard(
    uid="gpu-pool",
    title="GPU pool",
    about="The nodes of a pool, the holders of its GPUs, and the activity of the GPUs.",
    variables=(FIRST_POOL, NODE_OF_POOL),
    rows=(
        Row("Now", _NOW),
        Row("Nodes", _NODES),
        Row("Holders of the GPUs", _HOLDERS),
        Row("Activity of the GPUs", _WORK),
    ),
)
