"""Three made-up hours of a small fleet, as OpenMetrics: what dcgm-exporter, kube-state-metrics, Karpenter and kubelets would say.

Main: two nodes of four L4s, one of which trains while the other holds an idle notebook, and one node without GPUs. Turns: one L4 that two
pods share. Slices: eight H100s cut in seven, of which one pod holds fourteen slices. Unseen: a GPU without exporter.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from . import builders
from .exporter_series import named

END = 1_795_000_000 - 1_795_000_000 % 7200
"""Second at which it ends."""
MINUTES = 180
Value = Callable[[int], float | None]
"""From the minute to a value; nothing where there was no sample."""

STACK: dict[str, Any] = {
    "pools": [
        builders.pool(instanceTypes=["g6.12xlarge"]),
        builders.pool(
            name="turns", instanceTypes=["g6.xlarge"], sharing={"mode": "time-slicing", "replicas": 4}, purchase=["spot", "on-demand"]
        ),
        builders.pool(name="slices", instanceTypes=["p5.48xlarge"], sharing={"mode": "mig", "profile": "1g.10gb"}),
        builders.pool(name="unseen", instanceTypes=["g6.xlarge"], ami={"family": "bottlerocket"}),
    ],
    "tenants": [
        builders.tenant(gpus={"main": 8, "unseen": 1}),
        builders.tenant(name="speech", gpus={"turns": 4, "slices": 14}),
    ],
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Gpu:
    """A GPU or MIG instance, and the pod that holds it."""

    node: str
    number: int
    busy: float
    holder: tuple[str, str] | None = None
    slice: str = ""
    memory_mib: int = 23_034

    @property
    def labels(self) -> dict[str, str]:
        """As dcgm-exporter writes them."""
        held = dict(zip(("namespace", "pod"), self.holder, strict=True)) if self.holder else {}
        cut = {"GPU_I_ID": self.slice, "GPU_I_PROFILE": "1g.10gb"} if self.slice else {}
        return {"node": self.node, "gpu": str(self.number), **held, **cut}


GPUS = (
    *(Gpu("n1", number, 0.9, ("team", "train-0")) for number in range(4)),
    *(Gpu("n2", number, 0.01, ("team", "notebook")) for number in range(2)),
    *(Gpu("n2", number, 0.0) for number in (2, 3)),
    *(Gpu("t1", 0, 0.6, ("speech", pod)) for pod in ("asr-a", "asr-b")),
    *(
        Gpu("s1", number, 0.35, ("speech", "tts"), slice=str(part), memory_mib=9_856)
        for number in range(2)
        for part in range(7)
    ),
)
NODES = {
    "n1": ("main", "g6.12xlarge", "on-demand", "nvidia_com_gpu", 4),
    "n2": ("main", "g6.12xlarge", "on-demand", "nvidia_com_gpu", 4),
    "n3": ("main", "g6.12xlarge", "on-demand", "nvidia_com_gpu", 0),
    "t1": ("turns", "g6.xlarge", "spot", "nvidia_com_gpu_shared", 4),
    "s1": ("slices", "p5.48xlarge", "on-demand", "nvidia_com_mig_1g_10gb", 56),
    "u1": ("unseen", "g6.xlarge", "on-demand", "nvidia_com_gpu", 1),
}
"""Node → pool, type, how it was bought, resource and how many of it."""
PODS = {
    ("team", "train-0"): ("n1", "nvidia_com_gpu", 4),
    ("team", "notebook"): ("n2", "nvidia_com_gpu", 2),
    ("team", "batch"): ("u1", "nvidia_com_gpu", 1),
    ("team", "queue-0"): ("", "nvidia_com_gpu", 4),
    ("speech", "asr-a"): ("t1", "nvidia_com_gpu_shared", 1),
    ("speech", "asr-b"): ("t1", "nvidia_com_gpu_shared", 1),
    ("speech", "tts"): ("s1", "nvidia_com_mig_1g_10gb", 14),
}
"""Namespace and name → node, resource and how many of it."""
WAITED_SECONDS = 1200


def openmetrics() -> str:
    """All series as text."""
    lines = []
    every = {**dict(_state()), **dict(_gpus()), **dict(_faults()), **dict(_karpenter())}
    for series, value in ((scraped(series), value) for series, value in every.items()):
        for minute in range(MINUTES + 1):
            sample = value(minute)
            if sample is not None:
                lines.append(f"{series} {sample} {END - (MINUTES - minute) * 60}")
    return "\n".join([*lines, "# EOF\n"])


def scraped(series: str) -> str:
    """The series with the labels of its target, where a counter's is asked for."""
    if series.startswith("karpenter_"):
        return series.replace("{", '{job="karpenter",instance="10.0.0.3:8080",', 1)
    node = re.search(r'node="(\w+)"', series)
    if series.startswith("DCGM_FI_DEV_") and node:
        return series.replace("{", f'{{job="nvidia-dcgm-exporter",instance="{node[1]}:9400",', 1)
    return series


def always(value: float) -> Value:
    """The same all the time."""
    return lambda minute: value


def since(start: int, value: float) -> Value:
    """A series that begins late."""
    return lambda minute: value if minute >= start else None


def later(start: int, value: float) -> Value:
    """Zero, and then something."""
    return lambda minute: value if minute >= start else 0


def wave(mean: float, swing: float) -> Value:
    """Up and down within twenty minutes."""
    return lambda minute: mean + swing * (abs(minute % 20 - 10) / 5 - 1)


def _state() -> Iterator[tuple[str, Value]]:
    for node, (pool, kind, bought, resource, count) in NODES.items():
        labels = {"label_gpu_blueprint_pool": pool, "label_node_kubernetes_io_instance_type": kind}
        mig = {"label_nvidia_com_mig_config_state": "success"} if pool == "slices" else {}
        yield named("kube_node_labels", node=node, **labels, label_karpenter_sh_capacity_type=bought, **mig), always(1)
        yield named("kube_node_status_allocatable", node=node, resource=resource, unit="integer"), always(count)
    for (space, pod), (node, resource, count) in PODS.items():
        asked = {"namespace": space, "pod": pod, "container": "main", "resource": resource, "unit": "integer"}
        yield named("kube_pod_container_resource_requests", **asked, **({"node": node} if node else {})), always(count)
        phase = "Running" if node else "Pending"
        yield named("kube_pod_status_phase", namespace=space, pod=pod, phase=phase), always(1)
        yield named("kube_pod_created", namespace=space, pod=pod), always(END - WAITED_SECONDS)
    for space in ("team", "speech"):
        yield named("kube_namespace_labels", namespace=space, label_gpu_blueprint_tenant=space), always(1)
    yield named("kube_namespace_labels", namespace="kube-system"), always(1)
    yield from _quotas()
    yield from _autoscalers()


def _quotas() -> Iterator[tuple[str, Value]]:
    rows = (("team", "gpu", 7, 9), ("team", "mig-1g.10gb", 0, 0), ("speech", "mig-1g.10gb", 14, 14))
    for space, unit, used, hard in rows:
        of = {"namespace": space, "resourcequota": "tenant", "resource": f"requests.nvidia.com/{unit}"}
        yield named("kube_resourcequota", **of, type="used"), always(used)
        yield named("kube_resourcequota", **of, type="hard"), always(hard)


def _autoscalers() -> Iterator[tuple[str, Value]]:
    for space, name, *counts in (("team", "server", 1, 4, 3, 4), ("speech", "asr", 1, 8, 2, 2)):
        fields = ("spec_min", "spec_max", "status_current", "status_desired")
        for field, count in zip(fields, counts, strict=True):
            series = f"kube_horizontalpodautoscaler_{field}_replicas"
            yield named(series, namespace=space, horizontalpodautoscaler=name), always(count)


def _gpus() -> Iterator[tuple[str, Value]]:
    for gpu in GPUS:
        parts = {
            "GR_ENGINE_ACTIVE": 1.0,
            "SM_ACTIVE": 0.8,
            "SM_OCCUPANCY": 0.4,
            "PIPE_TENSOR_ACTIVE": 0.3,
            "DRAM_ACTIVE": 0.5,
        }
        for field, part in parts.items():
            yield named(f"DCGM_FI_PROF_{field}", **gpu.labels), always(gpu.busy * part)
        used = gpu.memory_mib * (0.1 + 0.7 * gpu.busy)
        yield named("DCGM_FI_DEV_FB_USED", **gpu.labels), wave(used, used / 10)
        yield named("DCGM_FI_DEV_FB_FREE", **gpu.labels), wave(gpu.memory_mib - used, used / 10)
        yield named("DCGM_FI_DEV_GPU_TEMP", **gpu.labels), wave(35 + 45 * gpu.busy + gpu.number, 2)
        yield named("DCGM_FI_DEV_POWER_USAGE", **gpu.labels), wave(20 + 50 * gpu.busy, 4)
        yield from _rows(gpu, broken=(gpu.node, gpu.number) == ("n2", 3))
    for number in range(2):
        yield named("DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL", node="s1", gpu=str(number)), always(6000)


def _rows(gpu: Gpu, *, broken: bool) -> Iterator[tuple[str, Value]]:
    for field, count in (("ROW_REMAP_FAILURE", 1), ("ROW_REMAP_PENDING", 1)):
        yield named(f"DCGM_FI_DEV_{field}", **gpu.labels), always(count * broken)
    for field, count in (("CORRECTABLE_REMAPPED_ROWS", 2), ("UNCORRECTABLE_REMAPPED_ROWS", 1)):
        yield named(f"DCGM_FI_DEV_{field}", **gpu.labels), later(150, count * broken)


def _faults() -> Iterator[tuple[str, Value]]:
    broken, hot = {"node": "n2", "gpu": "3"}, {"node": "n1", "gpu": "1", "namespace": "team", "pod": "train-0"}
    yield named("DCGM_EXP_XID_ERRORS_COUNT", **broken, xid="79"), since(170, 1)
    yield named("DCGM_EXP_XID_ERRORS_COUNT", **hot, xid="31"), lambda minute: 2 if 130 <= minute < 135 else 0
    yield named("DCGM_FI_DEV_ECC_DBE_VOL_TOTAL", **broken), later(150, 1)
    yield named("DCGM_EXP_CLOCK_EVENTS_COUNT", **hot, clock_event="hw_thermal"), since(120, 5)
    yield named("DCGM_EXP_CLOCK_EVENTS_COUNT", **hot, clock_event="gpu_idle"), always(3)
    for node in ("n1", "n2", "t1", "s1"):
        yield named("up", job="nvidia-dcgm-exporter", node=node, instance=f"{node}:9400"), always(1)
    yield named("up", job="nvidia-dcgm-exporter", node="n3", instance="n3:9400"), always(0)
    pulls, size = "kubelet_image_pull_duration_seconds", {"node": "n2", "image_size_in_bytes": "10GB-20GB"}
    yield named(f"{pulls}_bucket", **size, le="300.0"), always(3)
    yield named(f"{pulls}_count", **size), lambda minute: 3 if minute < 140 else 4
    for alert, severity, labels in (
        ("GpuIdle", "warning", {"namespace": "team", "pod": "notebook", "pool": "main"}),
        ("GpuFatalXid", "critical", {"node": "n2", "gpu": "3", "pool": "main"}),
    ):
        about = {"alertname": alert, "alertstate": "firing", "severity": severity, "source": "gpu-blueprint"}
        yield named("ALERTS", **about, **labels), since(60, 1)


def _karpenter() -> Iterator[tuple[str, Value]]:
    yield named("karpenter_build_info", version="1.15.0"), always(1)
    yield named("up", job="karpenter", instance="10.0.0.3:8080"), always(1)
    for pool, usage, limit in (("main", 8, 8), ("turns", 1, 8)):
        of = {"nodepool": pool, "resource_type": "nvidia.com/gpu"}
        yield named("karpenter_nodepools_usage", **of), always(usage)
        yield named("karpenter_nodepools_limit", **of), always(limit)
    yield named("karpenter_nodeclaims_created_total", nodepool="main", reason="provisioned"), lambda m: m // 45
    yield named("karpenter_nodeclaims_created_total", nodepool="turns", reason="provisioned"), since(132, 3)
    taken = {"nodepool": "turns", "reason": "spot_interrupted", "capacity_type": "spot"}
    yield named("karpenter_nodeclaims_disrupted_total", **taken), lambda m: None if m < 130 else 1 + (m >= 160)
    empty = {"nodepool": "main", "reason": "empty", "capacity_type": "on-demand"}
    yield named("karpenter_nodeclaims_disrupted_total", **empty), lambda m: m // 60
    refused = {
        "controller": "nodeclaim.lifecycle",
        "method": "Create",
        "provider": "aws",
        "error": "InsufficientCapacityError",
    }
    yield named("karpenter_cloudprovider_errors_total", **refused), since(150, 4)
    yield from _conditions()
    yield from _starts()


def _conditions() -> Iterator[tuple[str, Value]]:
    claim, kind = "operator_nodeclaim_status_condition_count", "operator_ec2nodeclass_status_condition_count"
    for type_, status, reason in (("Launched", "True", "Launched"), ("Initialized", "Unknown", "NodeNotReady")):
        yield named(claim, name="main-x7f", type=type_, status=status, reason=reason), since(155, 1)
    for name, status, reason in (("main", "True", "Ready"), ("unseen", "False", "SubnetsNotFound")):
        yield named(kind, name=name, type="Ready", status=status, reason=reason), always(1)
    for overlay, applied in (("slices-8-gpu", 1), ("turns-1-gpu", 0)):
        yield named("kube_nodeoverlay_status_condition", nodeoverlay=overlay, type="Ready"), always(applied)


def _starts() -> Iterator[tuple[str, Value]]:
    """Ten nodes: launched within 2 s to 8 s, registered within a minute or so, initialized within minutes."""
    bounds = ("2.0", "8.0", "64.0", "128.0", "512.0", "+Inf")
    seen: Mapping[str, tuple[int, ...]] = {
        "Launched": (4, 10, 10, 10, 10, 10),
        "Registered": (0, 0, 7, 10, 10, 10),
        "Initialized": (0, 0, 0, 4, 10, 10),
    }
    for type_, counts in seen.items():
        for bound, count in zip(bounds, counts, strict=True):
            series = "operator_nodeclaim_status_condition_transition_seconds_bucket"
            yield named(series, type=type_, status="Unknown", le=bound), since(30, count)
