"""Rules for GPU NodePools: taints, limits, and a NodeOverlay where nodes share GPUs."""

from .effects.extended_resources import is_gpu_resource, is_slice_or_share, parse_count
from .effects.karpenter_objects import is_gpu_pool, is_overlay_of
from .resources import Resource, Stack
from .rule import Report, Rule, Settings


def _refuse_untainted_pool(pool: Resource, report: Report, _: Settings) -> None:
    if not is_gpu_pool(pool):
        return
    taints = pool.get("spec", "template", "spec", "taints", default=[])
    if not any(taint.get("effect") in ("NoSchedule", "NoExecute") for taint in taints):
        report(f"GPU pool {pool.name} has no NoSchedule or NoExecute taint, so any pod may run on its nodes")


def _refuse_unlimited_pool(pool: Resource, report: Report, _: Settings) -> None:
    limits = pool.get("spec", "limits", default={})
    if is_gpu_pool(pool) and not any("nvidia.com/" in name for name in limits):
        report(f"GPU pool {pool.name} has no limit in GPUs, so Karpenter launches nodes without end")


def _refuse_unreachable_limit(pool: Resource, report: Report, _: Settings, stack: Stack) -> None:
    limits = {name for name in pool.get("spec", "limits", default={}) if is_gpu_resource(name)}
    overlays = [overlay for overlay in stack.select("NodeOverlay") if is_overlay_of(overlay, pool)] if limits else []
    capacity = [item for overlay in overlays for item in overlay.get("spec", "capacity", default={}).items()]
    named, offered = {name for name, _ in capacity}, {name for name, count in capacity if parse_count(count)}
    if limits and limits <= named - offered:
        report(
            f"pool {pool.name} limits {', '.join(sorted(limits))}, but its NodeOverlays set the count to 0, "
            "so no number of nodes reaches the limit"
        )


_UNSHARED = {"nvidia.com/mig.config": "all-disabled", "nvidia.com/device-plugin.config": "none"}
"""Labels that tell the GPU Operator how to share GPUs → the value for GPUs that are not shared."""


def _refuse_sharing_without_overlay(pool: Resource, report: Report, _: Settings, stack: Stack) -> None:
    labels = pool.get("spec", "template", "metadata", "labels", default={})
    has_sharing_label = any(labels.get(key, unshared) != unshared for key, unshared in _UNSHARED.items())
    if not has_sharing_label and not any(map(is_slice_or_share, pool.get("spec", "limits", default={}))):
        return
    if not any(is_overlay_of(overlay, pool) for overlay in stack.select("NodeOverlay")):
        report(
            f"pool {pool.name} shares its GPUs but has no NodeOverlay, so Karpenter plans with the number of GPUs "
            "that EC2 reports"
        )


RULES = (
    Rule(
        id="gpu-pool-tainted",
        kinds=("NodePool",),
        check=_refuse_untainted_pool,
        looks_at="NodePools that may launch GPU instance types",
        passes="a taint with the effect NoSchedule or NoExecute keeps other pods away",
        fails="the NodePool has no taint with either effect",
        why="one CPU pod keeps a p5.48xlarge running at 55 $ an hour",
        fix="add a NoSchedule taint, named after the resource that the pool hands out",
    ),
    Rule(
        id="gpu-pool-limited",
        kinds=("NodePool",),
        check=_refuse_unlimited_pool,
        looks_at="`spec.limits` of GPU NodePools",
        passes="the limits name an nvidia.com/ resource",
        fails="the limits name no nvidia.com/ resource",
        why="a program that creates pods in a loop buys GPUs without end",
        fix="set spec.limits for the resource that the nodes hand out",
    ),
    Rule(
        id="gpu-limit-reachable",
        kinds=("NodePool",),
        check=_refuse_unreachable_limit,
        needs_stack=True,
        looks_at="the GPU resources in `spec.limits` and the capacity in the pool's NodeOverlays",
        passes="at least one limited resource is handed out by an overlay, or set by no overlay",
        fails="the overlays set every limited resource to 0",
        why="Karpenter counts the capacity that the overlays state, so it never reaches the limit",
        fix="set spec.limits for the slices or shares that the overlays hand out",
    ),
    Rule(
        id="sharing-overlaid",
        kinds=("NodePool",),
        check=_refuse_sharing_without_overlay,
        needs_stack=True,
        looks_at="NodePools whose nodes share GPUs",
        passes="a NodeOverlay names the pool",
        fails="no NodeOverlay names the pool",
        why="Karpenter does not know that nodes offer slices, so pods that request slices wait without end",
        fix="add a NodeOverlay for the pool",
    ),
)
