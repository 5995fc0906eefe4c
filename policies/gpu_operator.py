"""Rules for the GPU Operator's Helm values, and for the DCGM engine that it runs beside the node monitoring agent."""

from collections.abc import Iterator
from typing import Any

import yaml

from gpu_blueprint.catalog import GPUS, MigTable
from gpu_blueprint.sharing.placement import can_place, explain_fault

from .effects.charts import CHART_KINDS, is_chart
from .resources import Resource, Stack
from .rule import Report, Rule, Settings, find_wrong


def _is_operator(release: Resource) -> bool:
    return is_chart(release, "gpu-operator")


def _read_mig_configs(release: Resource) -> Iterator[tuple[str, dict[str, int]]]:
    """Yield the name and the layout (MIG profile → slices of one GPU) of each MIG config."""
    text = release.get("values", "migManager", "config", "data", default={}).get("config.yaml", "")
    for name, entries in ((yaml.safe_load(text) or {}).get("mig-configs") or {}).items():
        for entry in entries:
            if entry.get("mig-devices"):
                yield name, entry["mig-devices"]


def _refuse_illegal_configs(release: Resource, report: Report, _: Settings) -> None:
    tables: list[MigTable] = [gpu.mig for gpu in GPUS.values() if gpu.mig]
    try:
        configs = list(_read_mig_configs(release))
    except yaml.YAMLError as error:
        report(f"the MIG configs of {release.name} are not YAML: {' '.join(str(error).split())}")
        return
    for name, layout in configs:
        fitting = [table for table in tables if all(profile in table.profiles for profile in layout)]
        if not fitting:
            report(f"MIG config {name!r} names profiles that no single GPU model has: {', '.join(layout)}")
        elif not any(can_place(table, layout) for table in fitting):
            report(f"MIG config {name!r} fits no GPU: {explain_fault(fitting[0], layout)}")


def _refuse_second_driver(release: Resource, report: Report, _: Settings) -> None:
    parts = ("driver", "toolkit") if _is_operator(release) else ()
    for part in find_wrong(parts, lambda part: _is_enabled(release, part)):
        report(f"the GPU Operator installs its own {part} beside the {part} of the AMI")


def _is_enabled(release: Resource, part: str) -> bool:
    return release.get("values", part, "enabled", default=True) is not False


def _refuse_single_strategy(release: Resource, report: Report, _: Settings) -> None:
    strategy = release.get("values", "mig", "strategy", default="single") if _is_operator(release) else "mixed"
    if strategy != "mixed":
        report(f"the MIG strategy {strategy!r} hands out slices as nvidia.com/gpu")


def _refuse_missing_tolerations(release: Resource, report: Report, _: Settings) -> None:
    for path in (("daemonsets",), ("node-feature-discovery", "worker")) if _is_operator(release) else ():
        tolerations = release.get("values", *path, "tolerations", default=[])
        if not any(
            item.get("operator") == "Exists" and not item.get("key") and not item.get("effect") for item in tolerations
        ):
            report(
                f"{'.'.join(path)}.tolerations does not tolerate every taint, "
                "so nodes of pools with their own taint get no GPUs"
            )


def _refuse_second_dcgm_engine(addon: Resource, report: Report, _: Settings, stack: Stack) -> None:
    if addon.get("addonName") != "eks-node-monitoring-agent":
        return
    agent: Any = (yaml.safe_load(addon.get("configurationValues", default="") or "{}") or {}).get("dcgmAgent") or {}
    avoids_operator = (agent.get("nodeSelector") or {}).get("nvidia.com/gpu.deploy.operands") == "false"
    agent_runs_dcgm = agent.get("enabled", True) and not avoids_operator
    operators = [
        release
        for release in stack.select(*CHART_KINDS)
        if _is_operator(release) and release.get("values", "dcgm", "enabled", default=False)
    ]
    if agent_runs_dcgm and operators:
        report("the GPU Operator and the node monitoring agent both run a DCGM engine on the same nodes")


RULES = (
    Rule(
        id="mig-config-legal",
        kinds=CHART_KINDS,
        check=_refuse_illegal_configs,
        looks_at="the MIG manager's configs in the GPU Operator's values",
        passes="each layout can be placed on some GPU model",
        fails="no GPU model has the profiles of a layout, or no model can hold the layout",
        why="the MIG manager marks the node as failed, and the node hands out no slices",
        fix="choose a legal layout",
    ),
    Rule(
        id="driver-left-to-ami",
        kinds=CHART_KINDS,
        check=_refuse_second_driver,
        looks_at="driver and toolkit of the GPU Operator",
        passes="both are off, because the EKS AMIs contain them",
        fails="at least one is on",
        why="two drivers conflict, and the node has no GPU",
        fix="set driver.enabled and toolkit.enabled to false",
    ),
    Rule(
        id="mig-strategy-mixed",
        kinds=CHART_KINDS,
        check=_refuse_single_strategy,
        looks_at="mig.strategy of the GPU Operator",
        passes="the strategy is mixed",
        fails="the strategy is single, none or not set",
        why="slices and whole GPUs get the same resource name, so a pod gets a slice instead of a whole GPU",
        fix="set mig.strategy: mixed",
    ),
    Rule(
        id="operator-tolerates-taints",
        kinds=CHART_KINDS,
        check=_refuse_missing_tolerations,
        looks_at="tolerations of the GPU Operator's DaemonSets and of node feature discovery",
        passes="they tolerate every taint",
        fails="they tolerate some taints or none",
        why="nodes of a tainted pool are paid for and show no GPU",
        fix="set tolerations: [{operator: Exists}]",
    ),
    Rule(
        id="one-dcgm-engine",
        kinds=("Addon",),
        check=_refuse_second_dcgm_engine,
        needs_stack=True,
        looks_at="the DCGM engines of the GPU Operator and of the node monitoring agent",
        passes="at most one of them runs on a node",
        fails="both run on the same nodes",
        why="the agent reports healthy nodes as broken, and they are replaced",
        fix=(
            "set dcgmAgent.enabled: false, or select nodes that the operator does not serve "
            '(nvidia.com/gpu.deploy.operands: "false")'
        ),
    ),
)
