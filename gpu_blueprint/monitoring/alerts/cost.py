"""Alerts about GPUs that are paid for and not used, and about limits that are near."""

from ..facts import RESERVED
from ..metrics import NODE_LABELS, shown
from ..recording import NO_PLACEHOLDER, renamed, within
from ..rules import Alert

_ID = shown(NODE_LABELS[3])
_BY_ID = renamed(f'kube_node_labels{{{_ID}!=""}}', "reservation", _ID)
IN_USE = f"count by (reservation) (max by (node, reservation) ({_BY_ID}))"
"""Instances of a reservation that run as nodes."""
QUOTA_USED = (
    f'(max by (namespace, resource) (kube_resourcequota{{resource=~"requests.nvidia.com/.+",{NO_PLACEHOLDER},type="used"}})'
    ' / on (namespace, resource) max by (namespace, resource) (kube_resourcequota{type="hard"}))'
)
"""What part of its quota a namespace uses, by `resource`."""
NEARLY_ALL = 0.9
"""Part of a quota from which on the next pod may be refused."""
MOST_INTERRUPTIONS = 3
_INTERRUPTED = 'karpenter_nodeclaims_disrupted_total{reason="spot_interrupted"}'


def interruptions(window: str) -> str:
    """Spot nodes that EC2 took back within a window, by ``nodepool``."""
    return f"sum by (nodepool) ({within(_INTERRUPTED, window)})"


COST_ALERTS = (
    Alert(
        name="GpuIdle",
        subject="Cost and limits",
        severity="warning",
        expr="gpu_pod:gpus:idle > 0",
        wait="5m",
        summary="Pod {{ $labels.namespace }}/{{ $labels.pod }} has held {{ $value | humanize }} GPUs of pool {{ $labels.pool }}"
        " for an hour and done nothing with them",
        costs="Its GPUs at full price (`gpu_pool:usd_per_gpu_hour:avg`), and the wait of whoever needs one.",
        steps=(
            "Ask the team: a notebook that was left open, a server without traffic, a job that hangs?",
            "It works after all, at full power (`DCGM_FI_DEV_POWER_USAGE`): DCGM's profiler hangs, as after an Xid. Replace the node.",
            "Nobody answers: scale its Deployment to 0 or delete the pod.",
            "It happens each day: give the pool hours, share the GPU, or scale on the length of the queue.",
        ),
    ),
    Alert(
        name="GpuReservationIdle",
        subject="Cost and limits",
        severity="warning",
        expr=f"{RESERVED} - on (reservation) ({IN_USE} or on (reservation) 0 * {RESERVED}) > 0",
        wait="1h",
        summary="{{ $value }} instances of reservation {{ $labels.reservation }} run nothing",
        costs="They are billed in full, used or not.",
        steps=(
            "See whether work waits that could use them: the pool's `purchase` needs `reserved`, its pods the pool's taint.",
            "Nobody needs them: give the reservation back (`aws ec2 modify-capacity-reservation`), or share it with another account.",
        ),
    ),
    Alert(
        name="GpuQuotaNearlyUsed",
        subject="Cost and limits",
        severity="info",
        expr=f"{QUOTA_USED} > {NEARLY_ALL}",
        wait="30m",
        summary="Namespace {{ $labels.namespace }} uses {{ $value | humanizePercentage }} of its {{ $labels.resource }}",
        costs="The team's next pod is refused, not queued.",
        steps=(
            "See what holds them and whether it works: `gpu_pod:gpus:idle`.",
            "Raise `tenants.gpus` in the stack file if the pool's ceiling has room.",
        ),
    ),
    Alert(
        name="GpuPoolAtCeiling",
        subject="Cost and limits",
        severity="warning",
        expr='(max by (nodepool, resource_type) (karpenter_nodepools_usage{resource_type=~"nvidia.com/.+"})'
        " / on (nodepool, resource_type) max by (nodepool, resource_type) (karpenter_nodepools_limit)) > 0.9",
        wait="30m",
        summary="Pool {{ $labels.nodepool }} is at {{ $value | humanizePercentage }} of its {{ $labels.resource_type }}",
        costs="Karpenter launches nothing more for it: pods wait until others end.",
        steps=(
            "See whether what runs is used: `gpu_pool_tenant:gpus:used` beside `gpu_pool_tenant:gpus:allocated`.",
            "Raise `maxGpus` in the stack file; `blueprint quotas STACK` says whether AWS allows it.",
        ),
    ),
    Alert(
        name="SpotInterruptionsFrequent",
        subject="Cost and limits",
        severity="warning",
        expr=f"{interruptions('1h')} > {MOST_INTERRUPTIONS}",
        summary="EC2 took back {{ $value | humanize }} spot nodes of pool {{ $labels.nodepool }} within an hour",
        costs="Work since the last checkpoint, and the minutes in which nodes start and load images again.",
        steps=(
            "Add instance types and zones to the pool: each is a market of its own.",
            "Put `on-demand` behind `spot` in `purchase`, so that pods need not wait.",
            "Jobs that lose much: shorter checkpoints, or another pool.",
        ),
    ),
)
