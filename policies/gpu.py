"""GPU pools and how they are shared."""

from collections.abc import Iterator
from typing import Any

import yaml

from gpu_blueprint.catalog import GPUS, MigTable, profile_of
from gpu_blueprint.sharing.placement import can_place, refusal

from .pools import INSTANCE_TYPE, amount, gpu_rows, is_gpu_pool, pool_names, strange_types, wanted
from .rule import Report, Resource, Rule, Settings, Stack, known_first


def _tainted(pool: Resource, report: Report, _: Settings) -> None:
    if not is_gpu_pool(pool):
        return
    taints = pool.get("spec", "template", "spec", "taints", default=[])
    if not any(taint.get("effect") in ("NoSchedule", "NoExecute") for taint in taints):
        report(f"GPU pool {pool.name} has no NoSchedule taint: any pod may land on its nodes")


def _limited(pool: Resource, report: Report, _: Settings) -> None:
    limits = pool.get("spec", "limits", default={})
    if is_gpu_pool(pool) and not any("nvidia.com/" in name for name in limits):
        report(f"GPU pool {pool.name} has no limit in GPUs")


def _slices(overlay: Resource) -> dict[str, int]:
    capacity = overlay.get("spec", "capacity", default={})
    return {
        profile_of(name): amount(count)
        for name, count in capacity.items()
        if profile_of(name) and not name.endswith(".shared")
    }


def _profiles(overlay: Resource) -> list[str]:
    """Every MIG profile that an overlay hands out, shared or not."""
    capacity = overlay.get("spec", "capacity", default={})
    return [profile_of(name) for name, count in capacity.items() if profile_of(name) and amount(count)]


def _profiles_exist(overlay: Resource, report: Report, _: Settings) -> None:
    slices, rows = _profiles(overlay), gpu_rows(overlay)
    strange = strange_types(overlay)
    if slices and (strange or not rows):
        lack = f"{', '.join(strange)} is not known" if strange else "it names no GPU type"
        report(f"overlay {overlay.name} hands out {', '.join(slices)}, and {lack}")
    for row in rows:
        known = row.gpu.mig.profiles if row.gpu.mig else {}
        for profile in slices:
            if profile not in known:
                report(
                    f"{row.instance_type} ({row.gpu_name}) has no MIG profile {profile!r} (it has {', '.join(known) or 'none'})"
                )


def _placeable(overlay: Resource, report: Report, _: Settings) -> None:
    slices = _slices(overlay)
    for row in gpu_rows(overlay) if slices else ():
        table = row.gpu.mig
        if table is None or any(profile not in table.profiles for profile in slices):
            continue
        if any(count % row.gpu_devices for count in slices.values()):
            report(f"{row.instance_type} has {row.gpu_devices} GPUs cut alike, which {slices} does not divide by")
            continue
        layout = {profile: count // row.gpu_devices for profile, count in slices.items() if count}
        if not can_place(table, layout):
            report(f"{row.instance_type} cannot hold it: {refusal(table, layout)}")


def _mig_configs(release: Resource) -> Iterator[tuple[str, dict[str, int]]]:
    text = release.get("values", "migManager", "config", "data", default={}).get("config.yaml", "")
    for name, entries in ((yaml.safe_load(text) or {}).get("mig-configs") or {}).items():
        for entry in entries:
            if entry.get("mig-devices"):
                yield name, entry["mig-devices"]


def _configs_legal(release: Resource, report: Report, _: Settings) -> None:
    tables: list[MigTable] = [gpu.mig for gpu in GPUS.values() if gpu.mig]
    try:
        layouts = list(_mig_configs(release))
    except yaml.YAMLError as error:
        report(f"the MIG configs of {release.name} are no YAML: {' '.join(str(error).split())}")
        return
    for name, layout in layouts:
        fitting = [table for table in tables if all(profile in table.profiles for profile in layout)]
        if not fitting:
            report(f"MIG config {name!r} names profiles that no one GPU has: {', '.join(layout)}")
        elif not any(can_place(table, layout) for table in fitting):
            report(f"MIG config {name!r} fits no GPU: {refusal(fitting[0], layout)}")


def _scoped(overlay: Resource, report: Report, _: Settings) -> None:
    if len(pool_names(overlay)) != 1 or not wanted(overlay, INSTANCE_TYPE):
        report(
            f"overlay {overlay.name} is not bound to one NodePool and to instance types: it corrupts every pool it matches"
        )


def _is_share(name: str) -> bool:
    """Whether a resource is a slice or a share of a GPU."""
    return name.startswith("nvidia.com/") and name != "nvidia.com/gpu"


def _whole_gpus_hidden(overlay: Resource, report: Report, _: Settings) -> None:
    capacity = overlay.get("spec", "capacity", default={})
    shared = [name for name, count in capacity.items() if _is_share(name) and amount(count)]
    if shared and any(row.gpu_count for row in gpu_rows(overlay)) and amount(capacity.get("nvidia.com/gpu", 1)):
        report(
            f"overlay {overlay.name} hands out {', '.join(shared)} beside nvidia.com/gpu: whole-GPU pods are planned there"
        )


_UNSHARED = {"nvidia.com/mig.config": "all-disabled", "nvidia.com/device-plugin.config": "none"}
"""Labels that tell the GPU Operator how to share → the value that says not at all."""


def _overlaid(pool: Resource, report: Report, _: Settings, stack: Stack) -> None:
    labels = pool.get("spec", "template", "metadata", "labels", default={})
    labelled = any(labels.get(key, unshared) != unshared for key, unshared in _UNSHARED.items())
    if not labelled and not any(map(_is_share, pool.get("spec", "limits", default={}))):
        return
    if not any(pool.get("metadata", "name") in pool_names(overlay) for overlay in stack.of("NodeOverlay")):
        report(f"pool {pool.name} shares its GPUs and no NodeOverlay says so: Karpenter plans with EC2's count")


def _limit_reachable(pool: Resource, report: Report, _: Settings, stack: Stack) -> None:
    limits = {name for name in pool.get("spec", "limits", default={}) if name.startswith("nvidia.com/")}
    told = [one for one in stack.of("NodeOverlay") if pool.get("metadata", "name") in pool_names(one)] if limits else []
    given = [pair for overlay in told for pair in overlay.get("spec", "capacity", default={}).items()]
    handed_out, named = {name for name, count in given if amount(count)}, {name for name, _ in given}
    if limits and limits <= named - handed_out:
        report(f"pool {pool.name} is limited in {', '.join(sorted(limits))}, of which its overlays leave none")


_CHARTS = ("Release", "Chart")
"""Helm charts as Pulumi installs them, and as it renders them."""


def _operator(release: Resource) -> bool:
    return str(release.get("chart", default="")).rsplit("/", 1)[-1] == "gpu-operator"


def _driver_off(release: Resource, report: Report, _: Settings) -> None:
    for part in known_first(("driver", "toolkit") if _operator(release) else (), lambda part: _part_on(release, part)):
        report(f"the GPU Operator installs its own {part} beside the AMI's")


def _part_on(release: Resource, part: str) -> bool:
    return release.get("values", part, "enabled", default=True) is not False


def _strategy(release: Resource, report: Report, _: Settings) -> None:
    strategy = release.get("values", "mig", "strategy", default="single") if _operator(release) else "mixed"
    if strategy != "mixed":
        report(f"MIG strategy {strategy!r} calls a slice nvidia.com/gpu")


def _tolerates(release: Resource, report: Report, _: Settings) -> None:
    for path in (("daemonsets",), ("node-feature-discovery", "worker")) if _operator(release) else ():
        given = release.get("values", *path, "tolerations", default=[])
        if not any(
            item.get("operator") == "Exists" and not item.get("key") and not item.get("effect") for item in given
        ):
            report(
                f"{'.'.join(path)}.tolerations does not tolerate every taint: pools with their own taint get no GPUs"
            )


def _one_engine(addon: Resource, report: Report, _: Settings, stack: Stack) -> None:
    if addon.get("addonName") != "eks-node-monitoring-agent":
        return
    agent: Any = (yaml.safe_load(addon.get("configurationValues", default="") or "{}") or {}).get("dcgmAgent") or {}
    apart = (agent.get("nodeSelector") or {}).get("nvidia.com/gpu.deploy.operands") == "false"
    own = agent.get("enabled", True) and not apart
    operators = [
        one for one in stack.of(*_CHARTS) if _operator(one) and one.get("values", "dcgm", "enabled", default=False)
    ]
    if own and operators:
        report("the GPU Operator and the node monitoring agent both run a DCGM engine")


RULES = (
    Rule(
        id="gpu-pool-tainted", kinds=("NodePool",), check=_tainted,
        looks_at="NodePools that may launch GPU types", passes="a taint with NoSchedule or NoExecute keeps other pods off",
        fails="there is none", why="one CPU pod holds a p5.48xlarge at 55 $ an hour", fix="taint it with the name of the resource it hands out",
    ),
    Rule(
        id="gpu-pool-limited", kinds=("NodePool",), check=_limited,
        looks_at="`spec.limits` of GPU NodePools", passes="a limit in an nvidia.com/ resource stands there",
        fails="there is none", why="a loop that makes pods buys GPUs without end", fix="set spec.limits in the resource that nodes hand out",
    ),
    Rule(
        id="gpu-limit-reachable", kinds=("NodePool",), check=_limit_reachable, whole=True,
        looks_at="the resources in `spec.limits` and what the pool's NodeOverlays leave of them", passes="an overlay hands one of them out, or none names it",
        fails="the overlays set each to 0", why="Karpenter counts what an overlay hands out: such a limit is never reached", fix="limit the slices or shares that the overlays hand out",
    ),
    Rule(
        id="mig-profile-exists", kinds=("NodeOverlay",), check=_profiles_exist,
        looks_at="MIG resources in NodeOverlays", passes="each profile is one of the GPU's, by name and memory",
        fails="a GPU does not have it, or the instance type is not known", why="the node never hands it out, and pods wait for ever on a paid node",
        fix="use a profile that `blueprint mig GPU` lists",
    ),
    Rule(
        id="mig-layout-placeable", kinds=("NodeOverlay",), check=_placeable,
        looks_at="counts of MIG resources in NodeOverlays", passes="divided by the GPUs of the node they can be placed on one GPU",
        fails="they cannot", why="MIG manager fails, the node shows whole GPUs and nobody may use them", fix="choose a legal layout",
    ),
    Rule(
        id="mig-config-legal", kinds=_CHARTS, check=_configs_legal,
        looks_at="the MIG manager's config in the GPU Operator's values", passes="each layout can be placed on some GPU model",
        fails="a profile exists on none, or the layout has no placement", why="the node's MIG state becomes failed", fix="choose a legal layout",
    ),
    Rule(
        id="overlay-scoped", kinds=("NodeOverlay",), check=_scoped,
        looks_at="requirements of NodeOverlays", passes="they name one NodePool and its instance types",
        fails="they match more", why="other pools get wrong counts; overlapping overlays are dropped without a word", fix="add both requirements",
    ),
    Rule(
        id="overlay-hides-whole-gpus", kinds=("NodeOverlay",), check=_whole_gpus_hidden,
        looks_at="capacity of NodeOverlays", passes="nvidia.com/gpu is overlaid too where slices take its place",
        fails="it keeps EC2's count", why="Karpenter launches nodes for whole-GPU pods that can never run there", fix='set nvidia.com/gpu: "0"',
    ),
    Rule(
        id="sharing-overlaid", kinds=("NodePool",), check=_overlaid, whole=True,
        looks_at="NodePools whose nodes share GPUs", passes="a NodeOverlay names the pool",
        fails="none does", why="pods that ask for slices never get a node", fix="add a NodeOverlay for the pool",
    ),
    Rule(
        id="driver-left-to-ami", kinds=_CHARTS, check=_driver_off,
        looks_at="driver and toolkit of the GPU Operator", passes="both are off: the EKS AMIs bring them",
        fails="one is on", why="two drivers fight and the node has no GPU", fix="set driver.enabled and toolkit.enabled to false",
    ),
    Rule(
        id="mig-strategy-mixed", kinds=_CHARTS, check=_strategy,
        looks_at="mig.strategy of the GPU Operator", passes="it is mixed", fails="it is not",
        why="slices and whole GPUs get one name, and pods the wrong one", fix="set mig.strategy: mixed",
    ),
    Rule(
        id="operator-tolerates-taints", kinds=_CHARTS, check=_tolerates,
        looks_at="tolerations of the GPU Operator's DaemonSets, feature discovery's own key included", passes="they tolerate every taint",
        fails="they tolerate some", why="nodes of a tainted pool are paid and show no GPU", fix="set [{operator: Exists}]",
    ),
    Rule(
        id="one-dcgm-engine", kinds=("Addon",), check=_one_engine, whole=True,
        looks_at="the GPU Operator's DCGM and the node monitoring agent's", passes="one of them runs on a node",
        fails="both do", why="the agent calls healthy nodes broken, and they are replaced", fix="set dcgmAgent.enabled: false, or select the nodes that the operator leaves alone (nvidia.com/gpu.deploy.operands: \"false\")",
    ),
)  # fmt: skip
