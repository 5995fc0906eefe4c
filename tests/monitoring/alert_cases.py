"""For each alert a case in which it fires and one in which it stays quiet."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..support import builders

Series = Mapping[str, str]
"""Series → its values, as promtool writes them."""

STACK: dict[str, Any] = {
    "pools": [
        builders.pool(instanceTypes=["g6.12xlarge"]),
        builders.pool(name="sizes", instanceTypes=["g6.12xlarge", "g6.xlarge"]),
        builders.pool(name="turns", instanceTypes=["g6.xlarge"], sharing={"mode": "time-slicing", "replicas": 4}),
        builders.pool(name="slices", instanceTypes=["p5.48xlarge"], sharing={"mode": "mig", "profile": "1g.10gb"}),
        builders.pool(
            name="cut",
            instanceTypes=["p5.48xlarge"],
            sharing={"mode": "mig", "layout": {"3g.40gb": 1, "1g.10gb": 4}, "replicas": 2},
        ),
        builders.pool(name="fixed", instanceTypes=["g6.12xlarge"], staticNodes=2, zones=["us-east-1a"]),
        builders.pool(name="unseen", instanceTypes=["g6.xlarge"], ami={"family": "bottlerocket"}),
        builders.pool(
            name="held",
            instanceTypes=["p5.48xlarge"],
            zones=["us-east-1a"],
            purchase=["reserved"],
            reservations=[{"id": "cr-0a1b2c3d"}],
        ),
    ],
    "reservations": [{"id": "cr-0a1b2c3d", "instanceType": "p5.48xlarge", "zone": "us-east-1a", "instances": 2}],
    "tenants": [builders.tenant()],
}
"""What the constants of the rules under test come from."""


@dataclass(frozen=True, slots=True)
class AlertCase:
    """Series, and the labels of the alerts that they raise at some time; none if it is quiet."""

    alert: str
    series: Series
    at: str
    fires: Mapping[str, str] | None = None
    value: str = ""
    """How the summary shows the value, where it does."""


def named(metric: str, **labels: str) -> str:
    """Write a series."""
    inside = ",".join(f'{name}="{value}"' for name, value in labels.items())
    return f"{metric}{{{inside}}}"


def node(
    name: str = "n1", pool: str = "main", kind: str = "g6.12xlarge", how: str = "on-demand", **more: str
) -> Series:
    """A node of a pool, as kube-state-metrics shows it; without the label that says how it was bought if that is empty."""
    labels = {"label_gpu_blueprint_pool": pool, "label_node_kubernetes_io_instance_type": kind}
    bought = {"label_karpenter_sh_capacity_type": how} if how else {}
    return {named("kube_node_labels", node=name, **labels, **bought, **more): "1x300"}


def allocatable(count: int, resource: str = "nvidia_com_gpu", name: str = "n1") -> Series:
    """What a node hands out."""
    return {named("kube_node_status_allocatable", node=name, resource=resource, unit="integer"): f"{count}x300"}


def pod(
    name: str = "p1", space: str = "team", count: int = 1, resource: str = "nvidia_com_gpu", on: str = "n1",
    phase: str = "Running",
) -> Series:  # fmt: skip
    """A pod that asks for GPUs; on no node unless ``on`` says so."""
    asked = {"namespace": space, "pod": name, "container": "main", "node": on, "resource": resource, "unit": "integer"}
    return {
        named("kube_pod_container_resource_requests", **asked): f"{count}x300",
        named("kube_pod_status_phase", namespace=space, pod=name, phase=phase): "1x300",
    }


def space(name: str = "team", tenant: str = "team") -> Series:
    """A namespace; of no tenant if that is empty."""
    label = {"label_gpu_blueprint_tenant": tenant} if tenant else {}
    return {named("kube_namespace_labels", namespace=name, **label): "1x300"}


def gpu(metric: str, values: str, number: int = 0, **labels: str) -> Series:
    """A series of dcgm-exporter."""
    return {named(metric, node="n1", gpu=str(number), UUID=f"GPU-{number}", **labels): values}


def busy(values: str, number: int = 0, *, holder: str = "p1", slice_: str = "") -> Series:
    """How busy a GPU is that a pod of the tenant holds, or a MIG instance of it."""
    held = {"namespace": "team", "pod": holder} if holder else {}
    cut = {"GPU_I_ID": "1", "GPU_I_PROFILE": slice_} if slice_ else {}
    return active(values, number, cut, held)


def active(values: str, number: int, cut: dict[str, str], held: dict[str, str]) -> Series:
    """The activity of a device, said also of the pod that holds it."""
    device, of_pod = "DCGM_FI_PROF_GR_ENGINE_ACTIVE", "DCGM_FI_PROF_SM_ACTIVE"
    return {**gpu(device, values, number, **cut), **gpu(of_pod, values, number, **cut, **held)}


def condition(metric: str, name: str, type_: str, status: str, value: int = 1) -> Series:
    """A condition of an object, as Karpenter counts it."""
    return {named(metric, name=name, type=type_, status=status, reason=type_, namespace=""): f"{value}x300"}


def health(status: str) -> Series:
    """What the node monitoring agent says of a node's GPUs."""
    said = {"node": "n1", "condition": "AcceleratedHardwareReady"}
    return {
        named("kube_node_status_condition", **said, status=one): f"{int(one == status)}x300"
        for one in ("true", "false", "unknown")
    }


def pulls(slow: str, all_: str = "0 3x299", size_: str = "10GB-20GB") -> Series:
    """Images of a size that a node pulled, and those of them within 300 seconds."""
    prefix, size = "kubelet_image_pull_duration_seconds", {"node": "n1", "image_size_in_bytes": size_}
    return {named(f"{prefix}_bucket", le="300.0", **size): slow, named(f"{prefix}_count", **size): all_}


def quota(used: int, hard: int, space: str = "team") -> Series:
    """A namespace's quota of GPUs."""
    of = {"namespace": space, "resourcequota": "tenant", "resource": "requests.nvidia.com/gpu"}
    return {
        named("kube_resourcequota", **of, type="used"): f"{used}x300",
        named("kube_resourcequota", **of, type="hard"): f"{hard}x300",
    }


def ceiling(usage: int, limit: int) -> Series:
    """What a NodePool holds, beside its limit."""
    of = {"nodepool": "main", "resource_type": "nvidia.com/gpu"}
    return {
        named("karpenter_nodepools_usage", **of): f"{usage}x300",
        named("karpenter_nodepools_limit", **of): f"{limit}x300",
    }


def interruptions(values: str, up: str = "1x300") -> Series:
    """Spot nodes of a pool that EC2 took back, and since when Karpenter is scraped."""
    target = {"job": "karpenter", "instance": "10.0.0.3:8080"}
    counted = {"nodepool": "main", "reason": "spot_interrupted", **target}
    return {named("karpenter_nodeclaims_disrupted_total", **counted): values, named("up", **target): up}


def autoscaler(replicas: int, active: str = "true", name: str = "keda-hpa-chat", least: int = 1) -> Series:
    """An autoscaler that allows eight replicas, and whether it finds what it scales by."""
    of, metric = {"namespace": "team", "horizontalpodautoscaler": name}, "kube_horizontalpodautoscaler"
    said = {**of, "condition": "ScalingActive"}
    return {
        named(f"{metric}_status_current_replicas", **of): f"{replicas}x300",
        named(f"{metric}_spec_max_replicas", **of): "8x300",
        named(f"{metric}_spec_min_replicas", **of): f"{least}x300",
        named(f"{metric}_status_condition", **said, status="true"): f"{int(active == 'true')}x300",
        named(f"{metric}_status_condition", **said, status="false"): f"{int(active == 'false')}x300",
    }


RESERVED = {"label_karpenter_k8s_aws_capacity_reservation_id": "cr-0a1b2c3d"}
GPU = {"node": "n1", "gpu": "0", "pool": "main"}
NODE = {"node": "n1", "pool": "main", "instance_type": "g6.12xlarge", "capacity_type": "on-demand"}
SERVICE = {"namespace": "team", "horizontalpodautoscaler": "keda-hpa-chat"}
DBE = "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL"
XIDS, CLOCKS = "DCGM_EXP_XID_ERRORS_COUNT", "DCGM_EXP_CLOCK_EVENTS_COUNT"
CLAIM, CLASS = "operator_nodeclaim_status_condition_count", "operator_ec2nodeclass_status_condition_count"
OVERLAY = named("kube_nodeoverlay_status_condition", nodeoverlay="slices-8-gpu", type="Ready")
POD = {"namespace": "team", "pod": "p1"}
HELD = {**POD, "container": "main"}
UP = named("up", job="nvidia-dcgm-exporter", node="n1", instance="10.0.0.1:9400")

CASES = (
    AlertCase("GpuFatalXid", {**node(), **gpu(XIDS, "0x5 1x5 0x90", xid="79")}, "12m", {**GPU, "xid": "79"}),
    AlertCase("GpuFatalXid", {**node(), **gpu(XIDS, "1x100", xid="31")}, "12m"),
    AlertCase("GpuRowRemapFailure", {**node(), **gpu("DCGM_FI_DEV_ROW_REMAP_FAILURE", "1x60")}, "5m", GPU),
    AlertCase("GpuRowRemapFailure", {**node(), **gpu("DCGM_FI_DEV_ROW_REMAP_FAILURE", "0x60")}, "5m"),
    AlertCase("GpuRowRemapPending", {**node(), **gpu("DCGM_FI_DEV_ROW_REMAP_PENDING", "1x60")}, "10m", GPU),
    AlertCase("GpuRowRemapPending", {**node(), **gpu("DCGM_FI_DEV_ROW_REMAP_PENDING", "1x2 0x60")}, "10m"),
    AlertCase("GpuUncorrectableEcc", {**node(), **gpu("DCGM_FI_DEV_ECC_DBE_VOL_TOTAL", "0x10 1x60")}, "20m", GPU),
    AlertCase("GpuUncorrectableEcc", {**node(), **gpu("DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS", "0x10 2x60")}, "20m", GPU),
    AlertCase("GpuUncorrectableEcc", {**node(), **gpu("DCGM_FI_DEV_ECC_DBE_VOL_TOTAL", "3x60")}, "20m"),
    # The error ends the pod, so that the next sample is of a GPU that nobody holds.
    AlertCase("GpuUncorrectableEcc", {**node(), **gpu(DBE, "0x10 _x50", 0, **POD), **gpu(DBE, "_x10 1x50")}, "20m", GPU),
    # A pod comes to a GPU with an old error.
    AlertCase("GpuUncorrectableEcc", {**node(), **gpu(DBE, "1x10 _x50"), **gpu(DBE, "_x10 1x50", 0, **POD)}, "20m"),
    AlertCase(
        "GpuThrottled",
        # Two pods share the GPU: it is told of once.
        {**node(), **gpu(CLOCKS, "5x60", clock_event="hw_thermal", pod="p1"), **gpu(CLOCKS, "5x60", clock_event="hw_thermal", pod="p2")},
        "20m",
        {**GPU, "clock_event": "hw_thermal"},
    ),
    AlertCase("GpuThrottled", {**node(), **gpu(CLOCKS, "5x60", clock_event="hw_power_brake")}, "20m", {**GPU, "clock_event": "hw_power_brake"}),
    AlertCase("GpuThrottled", {**node(), **gpu(CLOCKS, "5x60", clock_event="power_cap")}, "20m"),
    AlertCase("GpuThrottled", {**node(), **gpu(CLOCKS, "5x60", clock_event="gpu_idle")}, "20m"),
    AlertCase("GpuHot", {**node(), **gpu("DCGM_FI_DEV_GPU_TEMP", "86x60")}, "15m", GPU, "86"),
    AlertCase("GpuHot", {**node(), **gpu("DCGM_FI_DEV_GPU_TEMP", "85x60")}, "15m"),
    AlertCase("GpuPodPending", pod(on="", count=2, phase="Pending"), "20m", {**POD, "resource": "nvidia_com_gpu"}, "2"),
    AlertCase("GpuPodPending", pod(on="n1", phase="Pending"), "20m"),
    AlertCase("GpuPodPending", pod(on="", phase="Succeeded"), "20m"),
    AlertCase("GpuPodPending", pod(on="", phase="Pending", space="gpu-headroom"), "20m"),
    AlertCase("GpuNodeWithoutGpus", {**node(), **allocatable(0)}, "25m", NODE),
    AlertCase("GpuNodeWithoutGpus", {**node(), **allocatable(0), **allocatable(7, "nvidia_com_mig_1g_10gb")}, "25m"),
    AlertCase("GpuNodeUnhealthy", {**node(), **health("false")}, "5m", {"node": "n1", "pool": "main"}),
    AlertCase("GpuNodeUnhealthy", {**node(), **health("false")}, "4m"),
    AlertCase("GpuNodeUnhealthy", {**node(), **health("true")}, "20m"),
    AlertCase("NodeClaimNotInitialized", condition(CLAIM, "main-x", "Initialized", "Unknown"), "25m", {"name": "main-x"}),
    AlertCase("NodeClaimNotInitialized", condition(CLAIM, "main-x", "Initialized", "True"), "25m"),
    AlertCase("MigConfigFailed", node(label_nvidia_com_mig_config_state="failed"), "5m", {"node": "n1", "pool": "main"}),
    AlertCase("MigConfigFailed", node(label_nvidia_com_mig_config_state="success"), "5m"),
    AlertCase("NodeOverlayNotReady", {OVERLAY: "0x60"}, "10m", {"nodeoverlay": "slices-8-gpu"}),
    AlertCase("NodeOverlayNotReady", {OVERLAY: "0x2 1x60"}, "10m"),
    AlertCase("NodeClassNotReady", condition(CLASS, "main", "Ready", "False"), "15m", {"name": "main"}),
    AlertCase("NodeClassNotReady", condition(CLASS, "main", "AMIsReady", "False"), "15m"),
    AlertCase("GpuImagePullSlow", {**node(), **pulls("0 2x299")}, "10m", {"node": "n1", "pool": "main"}),
    AlertCase("GpuImagePullSlow", {**node(), **pulls("0 3x299")}, "10m"),
    AlertCase("GpuImagePullSlow", {**node(), **pulls("0 2x299")}, "90m"),
    AlertCase("GpuIdle", {**node(), **busy("0.01x300"), **busy("0.049x300", 1)}, "80m", {**POD, "pool": "main"}, "2"),
    AlertCase("GpuIdle", {**node(), **busy("0.01x300")}, "40m"),
    AlertCase("GpuIdle", {**node(), **busy("0.051x300")}, "80m"),
    AlertCase("GpuReservationIdle", node("h1", "held", "p5.48xlarge", **RESERVED), "70m", {"reservation": "cr-0a1b2c3d"}, "1"),
    AlertCase("GpuReservationIdle", {}, "70m", {"reservation": "cr-0a1b2c3d"}, "2"),
    AlertCase("GpuReservationIdle", {**node("h1", "held", **RESERVED), **node("h2", "held", **RESERVED)}, "70m"),
    AlertCase("GpuQuotaNearlyUsed", quota(4, 4), "40m", {"namespace": "team", "resource": "requests.nvidia.com/gpu"}, "100%"),
    AlertCase("GpuQuotaNearlyUsed", quota(2, 2, "gpu-headroom"), "40m"),
    AlertCase("GpuQuotaNearlyUsed", quota(10, 11), "40m", {"namespace": "team", "resource": "requests.nvidia.com/gpu"}, "90.91%"),
    AlertCase("GpuQuotaNearlyUsed", quota(9, 10), "40m"),
    AlertCase("GpuQuotaNearlyUsed", quota(0, 0), "40m"),
    AlertCase("GpuPoolAtCeiling", ceiling(10, 11), "40m", {"nodepool": "main", "resource_type": "nvidia.com/gpu"}, "90.91%"),
    AlertCase("GpuPoolAtCeiling", ceiling(9, 10), "40m"),
    AlertCase("SpotInterruptionsFrequent", interruptions("1+1x300"), "60m", {"nodepool": "main"}, "60"),
    AlertCase("SpotInterruptionsFrequent", interruptions("1x30 2x300"), "60m"),
    AlertCase("SpotInterruptionsFrequent", interruptions("_x70 4x300"), "100m", {"nodepool": "main"}, "4"),
    AlertCase("SpotInterruptionsFrequent", interruptions("300x300"), "30m"),
    AlertCase("SpotInterruptionsFrequent", interruptions("50x100 _x10 50x300", "1x100 _x10 1x300"), "167m"),
    AlertCase("ServiceNotMeasured", autoscaler(2, "false"), "20m", SERVICE),
    AlertCase("ServiceNotMeasured", autoscaler(2), "20m"),
    AlertCase("ServiceNotMeasured", autoscaler(0, "false"), "20m"),
    AlertCase("ServiceAtMostReplicas", autoscaler(8), "40m", SERVICE, "8"),
    AlertCase("ServiceAtMostReplicas", autoscaler(7), "40m"),
    AlertCase("ServiceAtMostReplicas", autoscaler(8, name="web"), "40m"),
    AlertCase("ServiceAtMostReplicas", autoscaler(8, least=8), "40m"),
    AlertCase("DcgmExporterDown", {**node(), UP: "0x60"}, "20m", NODE),
    AlertCase("DcgmExporterDown", node(), "20m", NODE),
    AlertCase("DcgmExporterDown", {**node(), UP: "1x60"}, "20m"),
    AlertCase("DcgmExporterDown", node(pool="unseen"), "20m"),
    AlertCase("KubeStateMetricsMissing", {}, "15m", {}),
    AlertCase("KubeStateMetricsMissing", node(), "15m"),
    AlertCase("KarpenterMissing", {}, "15m", {}),
    AlertCase("KarpenterMissing", {named("karpenter_build_info", version="1.15.0"): "1x60"}, "15m"),
)  # fmt: skip
