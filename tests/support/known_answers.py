"""A stack and two days of what its exporters would have said, made so that the right advice is known beforehand."""

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from gpu_blueprint.config import StackConfig
from gpu_blueprint.monitoring.metrics import NAMESPACE_LABELS, NODE_LABELS, resource_label, shown

from . import builders

DAYS, STEP = 2, 240
"""The window, and seconds between samples: within what Prometheus looks back."""
AHEAD = 3600
"""Seconds that the samples go on, so that there are some however long tests take."""
GIB = 1024

POOLS: list[dict[str, Any]] = [
    # At 22 % with 9 GiB in use: an L4 or A10G would do.
    builders.pool(
        name="infer-a100", instanceTypes=["p4d.24xlarge"], purchase=["spot", "on-demand"], maxGpus=8, expectedHours=730
    ),
    # Whole H100s for pods that need a seventh of one.
    builders.pool(name="small-h100", instanceTypes=["p5.4xlarge"], purchase=["spot", "on-demand"], maxGpus=7),
    # A notebook on each L4, mostly open and idle.
    builders.pool(name="notebooks", purpose="notebook", purchase=["spot", "on-demand"], maxGpus=10),
    # Busy and on demand, around the clock.
    builders.pool(name="serve", gpu="a10g", maxGpus=8),
    # Busy, and never near its ceiling.
    builders.pool(name="batch", purpose="batch", gpu="l40s", purchase=["spot", "on-demand"], maxGpus=32),
    # Busy; its tenant is at 95 % of the quota, the pool has room.
    builders.pool(
        name="train", purpose="training", checkpointed=True, instanceTypes=["g6e.12xlarge", "g6e.24xlarge"],
        purchase=["spot", "on-demand"], maxGpus=24,
    ),
    # Nothing to say of it.
    builders.pool(name="healthy", gpu="a10g", purchase=["spot", "on-demand"], maxGpus=5),
]  # fmt: skip
TENANTS = [
    builders.tenant(name="serving", gpus={"infer-a100": 8, "serve": 8, "healthy": 5}),
    builders.tenant(name="research", gpus={"small-h100": 7, "notebooks": 10, "batch": 12}),
    builders.tenant(name="other", gpus={"small-h100": 2}),
    builders.tenant(name="vision", gpus={"train": 20}),
]


def stack(**overrides: Any) -> dict[str, Any]:
    """The object of its stack file."""
    return builders.stack(pools=POOLS, tenants=TENANTS, **builders.monitoring(), **overrides)


def config(**overrides: Any) -> StackConfig:
    """The same, checked."""
    return builders.config(**{"pools": POOLS, "tenants": TENANTS, **builders.monitoring(), **overrides})


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """What ran in a pool all the time: pods with so many GPUs, and what each of their GPUs did."""

    pool: str
    space: str
    kind: str
    bought: str
    nodes: int
    pods: int
    gpus: int = 1
    sm: float
    tensor: float
    dram: float
    memory_gib: float
    per_node: int = 1
    vcpu: int = 3
    host_gib: int = 12


LOADS = (
    Load(pool="infer-a100", space="serving", kind="p4d.24xlarge", bought="spot", nodes=1, per_node=8, pods=8, sm=0.22, tensor=0.08, dram=0.09, memory_gib=9),
    Load(pool="small-h100", space="research", kind="p5.4xlarge", bought="spot", nodes=6, pods=6, sm=0.08, tensor=0.072, dram=0.05, memory_gib=7, vcpu=2),
    Load(pool="notebooks", space="research", kind="g6.2xlarge", bought="spot", nodes=8, pods=8, sm=0.1, tensor=0.05, dram=0.06, memory_gib=4, vcpu=1, host_gib=4),
    Load(pool="serve", space="serving", kind="g5.2xlarge", bought="on-demand", nodes=7, pods=7, sm=0.7, tensor=0.5, dram=0.6, memory_gib=18),
    Load(pool="batch", space="research", kind="g6e.2xlarge", bought="spot", nodes=6, pods=6, sm=0.72, tensor=0.65, dram=0.5, memory_gib=38),
    Load(pool="train", space="vision", kind="g6e.12xlarge", bought="spot", nodes=5, per_node=4, pods=19, sm=0.72, tensor=0.65, dram=0.55, memory_gib=40),
    Load(pool="healthy", space="serving", kind="g5.2xlarge", bought="spot", nodes=4, pods=4, sm=0.7, tensor=0.5, dram=0.6, memory_gib=18),
)  # fmt: skip
QUOTAS = {"serving": (16, 21), "research": (20, 29), "other": (0, 2), "vision": (19, 20)}
"""Namespace → whole GPUs used and allowed."""

Series = dict[str, float | tuple[float, float]]
"""Series → its value at all times, or a mean and how far it swings."""


def openmetrics(until: float | None = None) -> str:
    """All samples, as OpenMetrics text."""
    last = int((until or time.time()) // STEP) * STEP
    times = range(last - DAYS * 86400, last + AHEAD, STEP)
    lines: list[str] = []
    for name, value in series().items():
        mean, swing = value if isinstance(value, tuple) else (value, 0.0)
        lines += [f"{name} {mean + swing * math.sin(moment / 3000)!r} {moment}" for moment in times]
    return "\n".join([*lines, "# EOF\n"])


def series() -> Series:
    """Every series, as the exporters label them."""
    found: Series = {}
    for load in LOADS:
        found |= dict(_nodes(load)) | dict(_pods(load))
    for space, (used, hard) in QUOTAS.items():
        found[_named("kube_namespace_labels", namespace=space, **{shown(NAMESPACE_LABELS[0]): space})] = 1
        for kind, count in (("used", used), ("hard", hard)):
            labels = {"namespace": space, "resourcequota": "tenant", "resource": "requests.nvidia.com/gpu"}
            found[_named("kube_resourcequota", **labels, type=kind)] = count
    return found


def _nodes(load: Load) -> Iterator[tuple[str, float]]:
    labels = dict(zip(map(shown, NODE_LABELS), (load.pool, load.kind, load.bought), strict=False))
    for number in range(load.nodes):
        node = f"{load.pool}-{number}"
        yield _named("kube_node_labels", node=node, **labels), 1
        yield (
            _named("kube_node_status_allocatable", node=node, resource="nvidia_com_gpu", unit="integer"),
            load.per_node,
        )


def _pods(load: Load) -> Iterator[tuple[str, float | tuple[float, float]]]:
    for number in range(load.pods):
        node, gpu = f"{load.pool}-{number // load.per_node}", number % load.per_node
        pod = {"namespace": load.space, "pod": f"{load.pool}-{number}"}
        asked = {"nvidia.com/gpu": load.gpus, "cpu": load.vcpu, "memory": load.host_gib * 2**30}
        for resource, count in asked.items():
            labels = {**pod, "container": "main", "node": node, "resource": resource_label(resource)}
            yield _named("kube_pod_container_resource_requests", **labels), count
        yield _named("kube_pod_status_phase", **pod, phase="Running"), 1
        device = {"node": node, "gpu": str(gpu), "UUID": f"GPU-{node}-{gpu}", **pod, "container": "main"}
        yield _named("DCGM_FI_PROF_GR_ENGINE_ACTIVE", **device), (load.sm, load.sm / 5)
        yield _named("DCGM_FI_PROF_SM_ACTIVE", **device), (load.sm, load.sm / 5)
        yield _named("DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", **device), (load.tensor, load.tensor / 5)
        yield _named("DCGM_FI_PROF_DRAM_ACTIVE", **device), (load.dram, load.dram / 5)
        yield _named("DCGM_FI_DEV_FB_USED", **device), load.memory_gib * GIB


def _named(metric: str, **labels: str) -> str:
    inside = ",".join(f'{name}="{value}"' for name, value in labels.items())
    return f"{metric}{{{inside}}}"
