"""Nodes and GPUs that fail, or do not come: what the alerts about them look at."""

from ..alerts.gpu import HOT_CELSIUS
from ..metrics import DCGM_JOB, NODE_LABELS, shown
from ..recording import COUNTERS, SLOW_PULL_SECONDS, SLOW_PULLS, within
from .panels import ANY, Dashboard, Panel, Query, Row
from .queries import IN_POOL_LATELY, NODE_OF_POOL, NODES, ON_NODE, POOL, how_many, of_gpu, seen_by

_GPU = "{{node}} {{gpu}}"
_STATE = shown(NODE_LABELS[4])
_CLAIMS = 'operator_nodeclaim_status_condition_count{type=~"Launched|Registered|Initialized",status!="True"}'
_CLASSES = 'operator_ec2nodeclass_status_condition_count{status!="True"}'


def _count(title: str, about: str, expr: str, color: str = "red") -> Panel:
    """A number that should be zero."""
    steps = ((1, color),)
    return Panel(
        title=title, about=about, kind="number", queries=(Query(expr=how_many(expr)),), steps=steps, width=3, height=4
    )


def _here(alert: str) -> str:
    """What an alert looks at, of the chosen nodes."""
    return f"{seen_by(alert)} and on (node) {ON_NODE}"


def _grown(name: str) -> str:
    """By how much a counter of a GPU has grown within an hour."""
    return f"(round(increase({COUNTERS[name]}{{{NODES}}}[1h])) > 0) {IN_POOL_LATELY}"


def _wrong(name: str) -> str:
    """A value of those GPUs of which it is not zero."""
    return f"({of_gpu(name)}) > 0"


_NOW = Row(
    "Now: all of these should be zero",
    (
        _count("Fatal Xid", "GPUs with an Xid error after which they are of no use: replace the node.", _here("GpuFatalXid")),
        _count("Row remaps failed", "GPUs without spare memory rows: replace the node.", _here("GpuRowRemapFailure")),
        _count("Throttled", "GPUs that heat or power slows down, by reason.", _here("GpuThrottled")),
        _count("Broken, no GPUs", "Nodes that are paid for and hand out no GPU, or whose GPUs the node monitoring agent calls broken.",
               f"max by (node) ({_here('GpuNodeWithoutGpus')}) or max by (node) ({_here('GpuNodeUnhealthy')})"),
        _count("Not measured", "Nodes whose exporter does not answer: their faults go unseen.", _here("DcgmExporterDown")),
        _count("MIG failed", "Nodes on which the MIG layout could not be set up.", _here("MigConfigFailed")),
        _count("Claims not ready", "NodeClaims of all pools that are not initialized: normal for minutes.", seen_by("NodeClaimNotInitialized"), "orange"),
        _count("Classes, overlays", "EC2NodeClasses that are not ready and NodeOverlays that Karpenter does not apply.",
               f"{seen_by('NodeClassNotReady')} or {seen_by('NodeOverlayNotReady')}"),
    ),
)  # fmt: skip
_FAULTS = Row(
    "Faults of GPUs",
    (
        Panel(
            title="Xid errors an hour, by code",
            about="The most that the exporter counted within five minutes. 13, 31, 43 and 45 are the program's; docs/alerts.md lists"
            " those after which the node has to go.",
            kind="bars",
            queries=(
                Query(
                    expr=f"max by (node, gpu, xid) (max_over_time(DCGM_EXP_XID_ERRORS_COUNT{{{NODES}}}[1h]) > 0)"
                    f" {IN_POOL_LATELY}",
                    legend="Xid {{xid}} · {{node}} {{gpu}}",
                ),
            ),
            nothing="none",
        ),
        Panel(
            title="Throttled GPUs an hour, by reason",
            about="GPUs that heat, power or hardware slowed down; idle clocks and limits that somebody set are left out. One of a"
            " node: replace the node. All of it: it is the host.",
            kind="bars",
            queries=(
                Query(
                    expr="count by (clock_event, node) (max by (node, gpu, clock_event) (max_over_time("
                    f'DCGM_EXP_CLOCK_EVENTS_COUNT{{{NODES},clock_event=~"hw_.+|sw_thermal"}}[1h]) > 0) {IN_POOL_LATELY})',
                    legend="{{clock_event}} · {{node}}",
                ),
            ),
            nothing="none",
        ),
        Panel(
            title="Memory errors an hour",
            about="Double-bit errors, and rows remapped after errors that could be corrected or not. An uncorrectable one ended a"
            " program; correctable ones that come often announce it.",
            kind="bars",
            queries=(
                Query(expr=_grown("DCGM_FI_DEV_ECC_DBE_VOL_TOTAL"), legend=f"double-bit · {_GPU}"),
                Query(expr=_grown("DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS"), legend=f"uncorrectable · {_GPU}"),
                Query(expr=_grown("DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS"), legend=f"correctable · {_GPU}"),
            ),
            nothing="none",
        ),
        Panel(
            title="Row remaps",
            about="GPUs with remapped rows. `failed`: send the node back. `pending`: replace it at the next chance.",
            kind="table",
            queries=(
                Query(expr=_wrong("DCGM_FI_DEV_ROW_REMAP_FAILURE"), legend="failed", steps=ANY),
                Query(expr=_wrong("DCGM_FI_DEV_ROW_REMAP_PENDING"), legend="pending", steps=((1, "orange"),)),
                Query(expr=_wrong("DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS"), legend="uncorrectable"),
                Query(expr=_wrong("DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS"), legend="correctable"),
            ),
            nothing="none",
        ),
        Panel(
            title="Temperature, by node",
            about=f"The hottest GPU of each node; above {HOT_CELSIUS} °C it will be throttled soon.",
            kind="lines",
            queries=(Query(expr=f"max by (node) ({of_gpu('DCGM_FI_DEV_GPU_TEMP')})", legend="{{node}}"),),
            unit="celsius",
        ),
        Panel(
            title="Power, by node",
            about="All GPUs of each node. A node far below its neighbours at the same work is throttled or broken.",
            kind="lines",
            queries=(Query(expr=f"sum by (node) ({of_gpu('DCGM_FI_DEV_POWER_USAGE')})", legend="{{node}}"),),
            unit="watt",
        ),
    ),
)
_COMING = Row(
    "Nodes that do not come, or come without what they should have",
    (
        Panel(
            title="Conditions of Karpenter that do not hold",
            about="NodeClaims on their way (Launched, Registered, Initialized) and EC2NodeClasses, with the reason; normal for some"
            " minutes. Longer: `kubectl describe nodeclaim`, `kubectl describe ec2nodeclass`.",
            kind="table",
            queries=(Query(expr=f"max by (name, type, reason) ({_CLAIMS} or {_CLASSES}) > 0", legend="is so"),),
            nothing="none",
        ),
        Panel(
            title="Nodes without GPUs",
            about="Nodes of a pool that hand out no GPU: read the log of the device plugin, then that of the MIG manager.",
            kind="table",
            queries=(Query(expr=_here("GpuNodeWithoutGpus"), legend="is so"),),
            nothing="none",
        ),
        Panel(
            title="NodeOverlays",
            about="1 where Karpenter applies the overlay. 0: it believes that nodes hand out none of the resource, and its pods wait.",
            kind="table",
            queries=(
                Query(expr='max by (nodeoverlay) (kube_nodeoverlay_status_condition{type="Ready"})', legend="applied"),
            ),
            width=6,
            nothing="no overlays",
        ),
        Panel(
            title="MIG states",
            about="Nodes by what the MIG manager says. `pending` passes within minutes; `failed` does not.",
            kind="areas",
            queries=(
                Query(
                    expr=f'count by ({_STATE}) (kube_node_labels{{{_STATE}!=""}} and on (node) {ON_NODE})',
                    legend=f"{{{{{_STATE}}}}}",
                ),
            ),
            width=6,
            nothing="no MIG",
        ),
        Panel(
            title="Exporters that answer",
            about="Targets of dcgm-exporter that are up, beside the nodes. Fewer than nodes: some are not measured; Bottlerocket"
            " nodes never are.",
            kind="lines",
            queries=(
                Query(expr=f'sum(up{{job="{DCGM_JOB}",{NODES}}}) or vector(0)', legend="exporters", color="green"),
                Query(expr=f"count({ON_NODE})", legend="nodes", color="blue"),
            ),
            width=6,
        ),
        Panel(
            title="Slow image pulls an hour",
            about=f"Images that took a node more than {SLOW_PULL_SECONDS} s, while its GPUs were paid for: ECR in the same region,"
            " smaller images, NVMe.",
            kind="bars",
            queries=(
                Query(expr=f"({within(f'{SLOW_PULLS}{{{NODES}}}', '1h')} > 0) {IN_POOL_LATELY}", legend="{{node}}"),
            ),
            width=6,
            nothing="none",
        ),
    ),
)

NODE_HEALTH = Dashboard(
    uid="gpu-node-health",
    title="GPU node health",
    about="GPUs that fail and nodes that do not come.",
    variables=(POOL, NODE_OF_POOL),
    rows=(_NOW, _FAULTS, _COMING),
)
