"""Cases of the alerts about CPU pools, and cases in which alerts about GPUs must not fire for them."""

from ...support import builders
from ...support.exporter_series import Series, merge, named, node, pod, pulls
from .case import POD, STACK, AlertCase, fires, quiet

ON_CPU_NODE = node(pool="cpu", kind="m7i.large")
MOST = builders.config(**STACK).cpu_pools[0].max_cpus
"""Ceiling of the CPU pool that the platform makes for the stack."""


def waiting(space: str = "team", on: str = "", phase: str = "Pending") -> Series:
    """A pod that requests two CPUs and no GPU."""
    return pod(space=space, count=2, resource="cpu", on=on, phase=phase)


def used(cpus: float, pool: str = "cpu") -> Series:
    """The vCPUs of a pool's nodes, as Karpenter counts them."""
    return {named("karpenter_nodepools_usage", nodepool=pool, resource_type="cpu"): f"{cpus}x300"}


CASES: tuple[AlertCase, ...] = (
    fires("CpuPodPending", waiting(), at="20m", labels=POD, value="2"),
    quiet("CpuPodPending", waiting(on="n1"), at="20m"),
    quiet("CpuPodPending", waiting(phase="Succeeded"), at="20m"),
    quiet("CpuPodPending", waiting(space="gpu-headroom"), at="20m"),
    quiet("CpuPodPending", waiting(), at="10m"),
    quiet("CpuPodPending", merge(waiting(), pod(on="", phase="Pending")), at="20m"),
    fires("CpuPoolAtCeiling", used(MOST), at="40m", labels={"nodepool": "cpu"}, value="100%"),
    quiet("CpuPoolAtCeiling", used(MOST * 0.8), at="40m"),
    quiet("CpuPoolAtCeiling", used(MOST, pool="main"), at="40m"),
    quiet("GpuNodeWithoutGpus", ON_CPU_NODE, at="25m"),
    quiet("DcgmExporterDown", ON_CPU_NODE, at="25m"),
    quiet("GpuImagePullSlow", ON_CPU_NODE, pulls("0 2x299"), at="10m"),
)
