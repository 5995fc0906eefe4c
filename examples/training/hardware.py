"""Chooses the precision for a GPU, and the loader workers for a pod's cores. Nothing here imports torch."""

import os
from collections.abc import Mapping
from pathlib import Path

PRECISIONS = ("bf16", "fp16", "fp32")
MOST_WORKERS = 16
"""With more workers, memory bandwidth limits a loader, and not cores."""
_CGROUP_LIMIT = Path("/sys/fs/cgroup/cpu.max")


def choose_precision(capability: tuple[int, int] | None) -> str:
    """Return the precision of autocast for a CUDA compute capability, or for a CPU (None).

    GPUs with capability 8.0 or higher (A100, A10G, L4, H100 …) compute in bf16, which needs no scaler. V100 (7.0) and
    T4 (7.5) have tensor cores only for fp16: torch emulates bf16 there, slowly, so `torch.cuda.is_bf16_supported()`
    does not help.
    """
    if capability is None:
        return "fp32"
    return "bf16" if capability >= (8, 0) else "fp16"


def count_cores(environment: Mapping[str, str] = os.environ, limit: Path = _CGROUP_LIMIT) -> float:
    """Return the cores of this pod: its CPU request, else its CPU limit, else the cores of its node.

    Args:
        environment: `CPU_REQUEST` is the request of the container, by `resourceFieldRef: requests.cpu`. On a node that
            several pods share, a pod without a limit knows its cores only from this variable.
        limit: The file of the cgroup with quota and period in microseconds.
    """
    if requested := environment.get("CPU_REQUEST"):
        return float(requested)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    quota, _, period = limit.read_text().partition(" ") if limit.is_file() else ("max", "", "")
    return cores if quota == "max" else min(cores, int(quota) / int(period))


def count_workers(cores: float, ranks: int) -> int:
    """Return the loader workers of one rank: its share of the cores, less one for the rank itself, at least one.

    Args:
        cores: Cores of the pod.
        ranks: Ranks in the pod, as many as its GPUs.
    """
    return max(1, min(MOST_WORKERS, int(cores / ranks) - 1))
