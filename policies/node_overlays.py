"""Rules for NodeOverlays: MIG profiles that exist, layouts that fit, and the nodes that an overlay matches."""

from collections.abc import Mapping

from gpu_blueprint.catalog import Instance, find_mig_profile
from gpu_blueprint.sharing.placement import can_place, explain_fault

from .effects.extended_resources import is_gpu_resource, is_slice_or_share, parse_count
from .effects.gpu_counts import find_advertised
from .effects.karpenter_objects import (
    INSTANCE_TYPE,
    is_overlay_of,
    list_gpu_types,
    list_pool_names,
    list_types_of,
    list_unknown_types,
    list_values,
)
from .resources import Resource, Stack
from .rule import Report, Rule, Settings, find_wrong


def _list_profiles(overlay: Resource) -> list[str]:
    """Return every MIG profile that an overlay advertises, shared or not."""
    capacity = overlay.read_block("spec", "capacity")
    return [find_mig_profile(name) for name, count in capacity.items() if find_mig_profile(name) and parse_count(count)]


def _count_slices(overlay: Resource) -> dict[str, int]:
    """Return MIG profile → slices of a node, without slices that several pods share."""
    capacity = overlay.read_block("spec", "capacity")
    return {
        find_mig_profile(name): parse_count(count)
        for name, count in capacity.items()
        if find_mig_profile(name) and not name.endswith(".shared")
    }


def _refuse_missing_profiles(overlay: Resource, report: Report, _: Settings) -> None:
    profiles, rows = _list_profiles(overlay), list_gpu_types(overlay)
    unknown = list_unknown_types(overlay)
    if profiles and (unknown or not rows):
        lack = f"{', '.join(unknown)} is not in the catalogue" if unknown else "the overlay names no GPU instance type"
        report(f"overlay {overlay.name} advertises {', '.join(profiles)}, but {lack}")
    for row in rows:
        known = row.gpu.mig.profiles if row.gpu.mig else {}
        for profile in profiles:
            if profile not in known:
                report(
                    f"{row.instance_type} ({row.gpu_name}) has no MIG profile {profile!r} "
                    f"(it has {', '.join(known) or 'none'})"
                )


def _refuse_impossible_layout(overlay: Resource, report: Report, _: Settings) -> None:
    slices = _count_slices(overlay)
    for row in list_gpu_types(overlay) if slices else ():
        table = row.gpu.mig
        if table is None or any(profile not in table.profiles for profile in slices):
            continue
        if any(count % row.gpu_devices for count in slices.values()):
            report(
                f"{row.instance_type} has {row.gpu_devices} GPUs that are all cut alike, "
                f"but {slices} does not divide by {row.gpu_devices}"
            )
            continue
        layout = {profile: count // row.gpu_devices for profile, count in slices.items() if count}
        if not can_place(table, layout):
            report(f"a GPU of {row.instance_type} cannot hold the layout: {explain_fault(table, layout)}")


def _refuse_wide_overlay(overlay: Resource, report: Report, _: Settings) -> None:
    if len(list_pool_names(overlay)) != 1 or not list_values(overlay, INSTANCE_TYPE):
        report(
            f"overlay {overlay.name} is not limited to one NodePool and its instance types, "
            "so it changes the capacity of other pools that it matches"
        )


def _refuse_visible_whole_gpus(overlay: Resource, report: Report, _: Settings) -> None:
    capacity = overlay.read_block("spec", "capacity")
    shared = [name for name, count in capacity.items() if is_slice_or_share(name) and parse_count(count)]
    whole = "nvidia.com/gpu"
    if (
        shared
        and any(row.gpu_count for row in list_gpu_types(overlay))
        and (whole not in capacity or parse_count(capacity[whole]))
    ):
        report(
            f"overlay {overlay.name} advertises {', '.join(shared)} beside nvidia.com/gpu, "
            "so Karpenter launches these nodes for pods that need whole GPUs"
        )


def _refuse_wrong_counts(overlay: Resource, report: Report, _: Settings, stack: Stack) -> None:
    pools = [pool for pool in stack.select("NodePool") if is_overlay_of(overlay, pool)]
    nodes = [(pool, row) for pool in pools for row in list_types_of(overlay, pool)]
    for pool, row in find_wrong(nodes, lambda node: bool(_explain_difference(overlay, *node, stack)))[:1]:
        report(_explain_difference(overlay, pool, row, stack))


def _explain_difference(overlay: Resource, pool: Resource, row: Instance, stack: Stack) -> str:
    """Return the difference between an overlay and a node, as a sentence; empty if there is none, or none is known."""
    capacity = overlay.read_block("spec", "capacity")
    stated = sorted(filter(is_gpu_resource, capacity))
    advertised = find_advertised(pool, row, stack) if stated else None
    if advertised is None:
        return ""
    counts = advertised.counts
    wrong = find_wrong(stated, lambda name: parse_count(capacity[name]) != counts.get(name, 0))
    missing = _list_unstated(counts, pool, row, stack)
    states = ", ".join([*(f"{parse_count(capacity[name])} × {name}" for name in wrong), *(f"no {n}" for n in missing)])
    truth = ", ".join(f"{count} × {name}" for name, count in sorted(counts.items())) or "nothing"
    return states and (
        f"overlay {overlay.name} states {states} for {row.instance_type}, "
        f"but its nodes advertise {truth}: {advertised.because}"
    )


def _list_unstated(counts: Mapping[str, int], pool: Resource, row: Instance, stack: Stack) -> list[str]:
    """Return the resources of a node that no overlay states and EC2 counts otherwise."""
    overlays = [overlay for overlay in stack.select("NodeOverlay") if is_overlay_of(overlay, pool)]
    stated = {
        name
        for overlay in overlays
        if row in list_types_of(overlay, pool)
        for name in overlay.read_block("spec", "capacity")
    }
    counted = {"nvidia.com/gpu": row.gpu_count}
    return [name for name, count in sorted(counts.items()) if name not in stated and counted.get(name) != count]


RULES = (
    Rule(
        id="mig-profile-exists",
        kinds=("NodeOverlay",),
        check=_refuse_missing_profiles,
        looks_at="MIG resources in NodeOverlays",
        passes="every GPU of the overlay has each profile, by name and memory",
        fails="a GPU lacks a profile, or the instance type is not in the catalogue",
        why="no node ever advertises the profile, so pods wait for ever while you pay for the node",
        fix="use a profile that `blueprint mig GPU` lists",
    ),
    Rule(
        id="mig-layout-placeable",
        kinds=("NodeOverlay",),
        check=_refuse_impossible_layout,
        looks_at="counts of MIG resources in NodeOverlays",
        passes="the counts, divided by the GPUs of the node, can be placed on one GPU",
        fails="the counts do not divide by the GPUs, or cannot be placed",
        why="the MIG manager fails, the node shows whole GPUs, and no pod may use them",
        fix="choose a legal layout",
    ),
    Rule(
        id="overlay-scoped",
        kinds=("NodeOverlay",),
        check=_refuse_wide_overlay,
        looks_at="requirements of NodeOverlays",
        passes="they name one NodePool and its instance types",
        fails="they match nodes of other pools or of any instance type",
        why="other pools get wrong counts, and Karpenter drops overlapping overlays without a message",
        fix="require karpenter.sh/nodepool and node.kubernetes.io/instance-type",
    ),
    Rule(
        id="overlay-hides-whole-gpus",
        kinds=("NodeOverlay",),
        check=_refuse_visible_whole_gpus,
        looks_at="capacity in NodeOverlays that advertise slices or shares",
        passes="the overlay sets nvidia.com/gpu to 0",
        fails="nvidia.com/gpu keeps the count of EC2 or another count above 0",
        why="Karpenter launches nodes for whole-GPU pods that can never run there",
        fix='set nvidia.com/gpu: "0"',
    ),
    Rule(
        id="overlay-counts-true",
        kinds=("NodeOverlay",),
        check=_refuse_wrong_counts,
        looks_at="capacity in NodeOverlays, and the configs by which the GPU Operator partitions and shares GPUs",
        passes="each overlay states what the nodes advertise, or the program does not hold the configs",
        fails="an overlay states another resource or another count than its nodes advertise",
        why="Karpenter launches too many nodes or too few, and pods wait for slices that no node has",
        fix="state the counts that follow from the pool's labels and from the GPU Operator's configs",
    ),
)
