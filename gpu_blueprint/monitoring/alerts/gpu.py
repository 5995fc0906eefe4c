"""Alerts about GPUs that fail, or are about to."""

from ...catalog.dcgm_metrics import FATAL_XIDS
from ..recording import COUNTERS, ON_POOL
from ..rules import Alert

HOT_CELSIUS = 85
_CODES = "|".join(map(str, FATAL_XIDS))
_DOUBLE_BIT_ERRORS, _UNCORRECTABLE_ROWS = (
    COUNTERS[f"DCGM_FI_DEV_{name}"] for name in ("ECC_DBE_VOL_TOTAL", "UNCORRECTABLE_REMAPPED_ROWS")
)
_THROTTLED = "hw_slowdown|hw_thermal|sw_thermal|hw_power_brake"
_REPLACE = (
    "Delete its NodeClaim: `kubectl delete nodeclaim <name>`; Karpenter launches another node first if pods wait."
)
_HOLD = "Keep new pods away: `kubectl cordon {{ $labels.node }}`."
_GPU = "GPU {{ $labels.gpu }} of {{ $labels.node }} (pool {{ $labels.pool }})"


def _worst(series: str, *more: str, above: float = 0) -> str:
    """One value for each GPU, however many pods share it, where it is above a bound; with the pool of the node."""
    return f"({_value(series, *more)} > {above}) {ON_POOL}"


def _value(series: str, *more: str) -> str:
    return f"max by ({', '.join(('node', 'gpu', *more))}) ({series})"


GPU_ALERTS = (
    Alert(
        name="GpuFatalXid",
        subject="GPU faults",
        severity="critical",
        expr=_worst(f'max_over_time(DCGM_EXP_XID_ERRORS_COUNT{{xid=~"{_CODES}"}}[15m])', "xid"),
        summary=f"{_GPU} reported Xid {{{{ $labels.xid }}}}",
        costs="The pod on it has failed or hangs, and so has every other pod of its job; new pods that land there fail too.",
        steps=(
            _HOLD,
            "Of GPUs that MIG cuts only the Xids of instances are seen here; GpuNodeUnhealthy tells of the others.",
            "Read what the driver says: `kubectl debug node/{{ $labels.node }} -it --image=busybox -- chroot /host dmesg -T | grep -i xid`.",
            _REPLACE,
            "If the same instance type fails again within days, report the instance id to AWS Support.",
        ),
    ),
    Alert(
        name="GpuRowRemapFailure",
        subject="GPU faults",
        severity="critical",
        expr=_worst("DCGM_FI_DEV_ROW_REMAP_FAILURE"),
        wait="1m",
        summary=f"{_GPU} has no spare memory rows left",
        costs="The next memory error ends whatever runs on it: the GPU is to be replaced, not reset.",
        steps=(_HOLD, "Let running jobs save their state and end.", _REPLACE, "Report the instance id to AWS Support."),
    ),
    Alert(
        name="GpuRowRemapPending",
        subject="GPU faults",
        severity="warning",
        expr=_worst("DCGM_FI_DEV_ROW_REMAP_PENDING"),
        wait="5m",
        summary=f"{_GPU} waits for a reset to remap a memory row",
        costs="Nothing yet; until the reset, the same row can fail again and end a job.",
        steps=("Let running jobs end.", _REPLACE),
    ),
    Alert(
        name="GpuUncorrectableEcc",
        subject="GPU faults",
        severity="critical",
        expr=f"(increase({_DOUBLE_BIT_ERRORS}[30m]) > 0 or increase({_UNCORRECTABLE_ROWS}[30m]) > 0) {ON_POOL}",
        summary=f"{_GPU} had an uncorrectable memory error",
        costs="The pod that used the memory was ended, or worse: it goes on with wrong numbers.",
        steps=(
            "Restart the job from its last checkpoint before the error.",
            "Look for GpuRowRemapFailure and GpuRowRemapPending of the same GPU.",
            _REPLACE,
        ),
    ),
    Alert(
        name="GpuThrottled",
        subject="GPU faults",
        severity="warning",
        expr=_worst(f'DCGM_EXP_CLOCK_EVENTS_COUNT{{clock_event=~"{_THROTTLED}"}}', "clock_event"),
        wait="15m",
        summary=f"{_GPU} is slowed down: {{{{ $labels.clock_event }}}}",
        costs="A GPU at half its clock costs the same; in training, every other GPU of the job waits for it.",
        steps=(
            "Compare with the other GPUs of the node: `DCGM_FI_DEV_GPU_TEMP`, `DCGM_FI_DEV_POWER_USAGE`.",
            "One alone is slow: replace the node. All are: it is the host's cooling or power, report it to AWS Support.",
            _REPLACE,
        ),
    ),
    Alert(
        name="GpuHot",
        subject="GPU faults",
        severity="warning",
        expr=_worst("DCGM_FI_DEV_GPU_TEMP", above=HOT_CELSIUS),
        wait="10m",
        summary=f"{_GPU} is at {{{{ $value }}}} °C",
        costs="It will be throttled soon, and errors become more likely.",
        steps=(
            "See whether it is throttled already (GpuThrottled) and whether its neighbours are as hot.",
            "If it stays so for an hour, replace the node: fans and air are AWS's.",
        ),
    ),
)
