"""GPUs that fail and nodes that do not start: the series behind the alerts about nodes and GPUs."""

from ..alerts.gpu import HOT_CELSIUS
from ..metrics import DCGM_JOB, MIG_STATE_LABEL, sanitize_label
from ..recording import COUNTERS, SLOW_PULL_SECONDS, SLOW_PULLS, count_new
from .panels import ANY, Dashboard, Panel, Query, Row
from .queries import (
    IN_POOL_LATELY,
    NODE_OF_POOL,
    NODEPOOLS,
    NODES,
    ON_NODE,
    POOL,
    count_series,
    reuse_alert,
    select_devices,
)

_GPU = "{{node}} {{gpu}}"
_BROKEN = ("GpuNodeWithoutGpus", "GpuNodeUnhealthy", "NodeNotReady", "GpuNodeIncomplete")
_MIG_STATE = sanitize_label(MIG_STATE_LABEL)
_CLAIMS = 'operator_nodeclaim_status_condition_count{type=~"Launched|Registered|Initialized",status!="True"}'
_REMOVED = f"karpenter_nodeclaims_disrupted_total{{{NODEPOOLS}}}"
_CLASSES = 'operator_ec2nodeclass_status_condition_count{status!="True"}'


def _build_count(title: str, about: str, expr: str, color: str = "red") -> Panel:
    """Build a panel with a number that should be zero."""
    queries = (Query(expr=count_series(expr)),)
    return Panel(title=title, about=about, kind="number", queries=queries, thresholds=((1, color),), width=3, height=4)


def _reuse_on_chosen_nodes(alert: str) -> str:
    """Return the expression of an alert for the chosen nodes."""
    return f"{reuse_alert(alert)} and on (node) {ON_NODE}"


def _count_errors(name: str) -> str:
    """Return by how much a counter of each GPU has grown within an hour."""
    return f"(round(increase({COUNTERS[name]}{{{NODES}}}[1h])) > 0) {IN_POOL_LATELY}"


def _select_nonzero(name: str) -> str:
    """Select the GPUs whose series is not zero."""
    return f"({select_devices(name)}) > 0"


_NOW = Row(
    "Now: all of these should be zero",
    (
        _build_count(
            "Fatal Xid",
            "GPUs with an Xid error that makes them useless: replace the node.",
            _reuse_on_chosen_nodes("GpuFatalXid"),
        ),
        _build_count(
            "Row remaps failed",
            "GPUs without spare memory rows: replace the node.",
            _reuse_on_chosen_nodes("GpuRowRemapFailure"),
        ),
        _build_count(
            "Throttled",
            "GPUs that heat or power slows down, by reason.",
            _reuse_on_chosen_nodes("GpuThrottled"),
        ),
        _build_count(
            "Broken, no GPUs",
            "Nodes that are paid for and not ready, that offer no GPU or fewer than they have, or whose GPUs the node"
            " monitoring agent reports as broken.",
            " or ".join(f"max by (node) ({_reuse_on_chosen_nodes(alert)})" for alert in _BROKEN),
        ),
        _build_count(
            "Not measured",
            "Nodes whose exporter does not answer: nobody sees their faults.",
            _reuse_on_chosen_nodes("DcgmExporterDown"),
        ),
        _build_count(
            "MIG failed",
            "Nodes on which the MIG manager could not set up the MIG layout.",
            _reuse_on_chosen_nodes("MigConfigFailed"),
        ),
        _build_count(
            "Claims not ready",
            "NodeClaims of all pools that are not initialized. Some are normal for minutes.",
            reuse_alert("NodeClaimNotInitialized"),
            "orange",
        ),
        _build_count(
            "Classes, overlays",
            "EC2NodeClasses that are not ready, and NodeOverlays that Karpenter does not apply.",
            f"{reuse_alert('NodeClassNotReady')} or {reuse_alert('NodeOverlayNotReady')}",
        ),
    ),
)
_FAULTS = Row(
    "GPU faults",
    (
        Panel(
            title="Xid errors per hour, by code",
            about="Highest count of the exporter within five minutes. Codes 13, 31, 43 and 45 are faults of the"
            " program; docs/alerts.md lists the codes after which the node must be replaced.",
            kind="bars",
            queries=(
                Query(
                    expr=f"max by (node, gpu, xid) (max_over_time(DCGM_EXP_XID_ERRORS_COUNT{{{NODES}}}[1h]) > 0)"
                    f" {IN_POOL_LATELY}",
                    legend="Xid {{xid}} · {{node}} {{gpu}}",
                ),
            ),
            no_value="none",
        ),
        Panel(
            title="Throttled GPUs per hour, by reason",
            about="GPUs that heat, power or hardware slowed down, without idle clocks and limits that people set. A"
            " single GPU of a node: replace the node. All GPUs of a node: the host is at fault.",
            kind="bars",
            queries=(
                Query(
                    expr="count by (clock_event, node) (max by (node, gpu, clock_event) (max_over_time("
                    f'DCGM_EXP_CLOCK_EVENTS_COUNT{{{NODES},clock_event=~"hw_.+|sw_thermal"}}[1h]) > 0)'
                    f" {IN_POOL_LATELY})",
                    legend="{{clock_event}} · {{node}}",
                ),
            ),
            no_value="none",
        ),
        Panel(
            title="Memory errors per hour",
            about="Double-bit errors, and rows remapped after correctable and uncorrectable errors. An uncorrectable"
            " error ended a program; frequent correctable errors announce an uncorrectable error.",
            kind="bars",
            queries=(
                Query(expr=_count_errors("DCGM_FI_DEV_ECC_DBE_VOL_TOTAL"), legend=f"double-bit · {_GPU}"),
                Query(expr=_count_errors("DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS"), legend=f"uncorrectable · {_GPU}"),
                Query(expr=_count_errors("DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS"), legend=f"correctable · {_GPU}"),
            ),
            no_value="none",
        ),
        Panel(
            title="Row remaps",
            about="GPUs with remapped rows. `failed`: replace the node now. `pending`: replace it at the next chance.",
            kind="table",
            queries=(
                Query(expr=_select_nonzero("DCGM_FI_DEV_ROW_REMAP_FAILURE"), legend="failed", thresholds=ANY),
                Query(
                    expr=_select_nonzero("DCGM_FI_DEV_ROW_REMAP_PENDING"), legend="pending", thresholds=((1, "orange"),)
                ),
                Query(expr=_select_nonzero("DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS"), legend="uncorrectable"),
                Query(expr=_select_nonzero("DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS"), legend="correctable"),
            ),
            no_value="none",
        ),
        Panel(
            title="Temperature, by node",
            about=f"The hottest GPU of each node. Above {HOT_CELSIUS} °C it will be throttled soon.",
            kind="lines",
            queries=(Query(expr=f"max by (node) ({select_devices('DCGM_FI_DEV_GPU_TEMP')})", legend="{{node}}"),),
            unit="celsius",
        ),
        Panel(
            title="Power, by node",
            about="Power of all GPUs of each node. A node far below its neighbours at the same work is throttled or"
            " broken.",
            kind="lines",
            queries=(Query(expr=f"sum by (node) ({select_devices('DCGM_FI_DEV_POWER_USAGE')})", legend="{{node}}"),),
            unit="watt",
        ),
    ),
)
_STARTING = Row(
    "Nodes that do not start, or start without their GPUs",
    (
        Panel(
            title="Karpenter conditions that are not met",
            about="NodeClaims that are starting (Launched, Registered, Initialized) and EC2NodeClasses, with the"
            " reason. Some are normal for minutes. If they last: `kubectl describe nodeclaim`, `kubectl"
            " describe ec2nodeclass`.",
            kind="table",
            queries=(Query(expr=f"max by (name, type, reason) ({_CLAIMS} or {_CLASSES}) > 0", legend="is so"),),
            no_value="none",
        ),
        Panel(
            title="Nodes without GPUs",
            about="Nodes of a pool that offer no GPU: read the log of the device plugin, then the log of the MIG"
            " manager.",
            kind="table",
            queries=(Query(expr=_reuse_on_chosen_nodes("GpuNodeWithoutGpus"), legend="is so"),),
            no_value="none",
        ),
        Panel(
            title="NodeOverlays",
            about="1 if Karpenter applies the overlay. At 0 Karpenter assumes that nodes offer none of the resource,"
            " and its pods wait.",
            kind="table",
            queries=(
                Query(expr='max by (nodeoverlay) (kube_nodeoverlay_status_condition{type="Ready"})', legend="applied"),
            ),
            width=6,
            no_value="no overlays",
        ),
        Panel(
            title="MIG states",
            about="Nodes by the state that the MIG manager reports. `pending` ends within minutes; `failed` does not.",
            kind="areas",
            queries=(
                Query(
                    expr=f'count by ({_MIG_STATE}) (kube_node_labels{{{_MIG_STATE}!=""}} and on (node) {ON_NODE})',
                    legend=f"{{{{{_MIG_STATE}}}}}",
                ),
            ),
            width=6,
            no_value="no MIG",
        ),
        Panel(
            title="Exporters that answer",
            about="Targets of dcgm-exporter that answer, beside the number of nodes. If there are more nodes than"
            " exporters, some nodes are not measured.",
            kind="lines",
            queries=(
                Query(expr=f'sum(up{{job="{DCGM_JOB}",{NODES}}}) or vector(0)', legend="exporters", color="green"),
                Query(expr=f"count({ON_NODE})", legend="nodes", color="blue"),
            ),
        ),
        Panel(
            title="Nodes removed per hour, by reason",
            about="Nodes that Karpenter removed. After `instance_status`, `system_status` and `unhealthy` pods had one"
            " second to end (Karpenter 1.14), after `event_status` and `scheduled_change` the pool's"
            " `terminationGracePeriod`: EC2 or the node monitoring agent called the node broken.",
            kind="bars",
            queries=(
                Query(
                    expr=f"sum by (nodepool, reason) ({count_new(_REMOVED, '1h')}) > 0",
                    legend="{{reason}} · {{nodepool}}",
                ),
            ),
            no_value="none",
        ),
        Panel(
            title="Slow image pulls per hour",
            about=f"Images that a node took more than {SLOW_PULL_SECONDS} s to pull while its GPUs were paid for. Use"
            " ECR in the same region, smaller images, or NVMe.",
            kind="bars",
            queries=(
                Query(expr=f"({count_new(f'{SLOW_PULLS}{{{NODES}}}', '1h')} > 0) {IN_POOL_LATELY}", legend="{{node}}"),
            ),
            no_value="none",
        ),
    ),
)

NODE_HEALTH = Dashboard(
    uid="gpu-node-health",
    title="GPU node health",
    about="GPUs that fail, and nodes that do not start.",
    variables=(POOL, NODE_OF_POOL),
    rows=(_NOW, _FAULTS, _STARTING),
)
