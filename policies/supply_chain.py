"""Rules for Helm charts and EKS add-ons: exact versions and allowed registries."""

import re

from .effects.charts import CHART_KINDS
from .resources import Resource
from .rule import Report, Rule, Settings

_EXACT = re.compile(r"v?\d+\.\d+\.\d+([-+.][\w.-]+)?")


def _is_bare_component(chart: Resource) -> bool:
    """Tell whether the resource is a component of which the engine reports only the name."""
    return chart.kind == "Chart" and not chart.props


def _refuse_unpinned_chart(release: Resource, report: Report, _: Settings) -> None:
    if _is_bare_component(release):
        return
    version = release.get("version", default="")
    # A chart in the program's own folder is pinned by the commit.
    is_local = str(release.get("chart", default="")).startswith((".", "/"))
    if not is_local and not _EXACT.fullmatch(str(version)):
        report(f"chart {release.get('chart', default=release.name)} has {_describe_version(version)}")


def _refuse_unknown_registry(release: Resource, report: Report, settings: Settings) -> None:
    if _is_bare_component(release):
        return
    source = release.get("repositoryOpts", "repo", default="") or release.get("chart", default="")
    if not any(f"{source}/".startswith(f"{allowed.rstrip('/')}/") for allowed in settings["registries"]):
        report(f"chart {release.name} comes from {source}, which is not an allowed registry")


def _refuse_unpinned_addon(addon: Resource, report: Report, _: Settings) -> None:
    version = addon.get("addonVersion", default="")
    if not _EXACT.fullmatch(str(version)):
        report(f"add-on {addon.get('addonName', default=addon.name)} has {_describe_version(version)}")


def _describe_version(version: object) -> str:
    return f"the version {version}, which is not exact" if version else "no version"


RULES = (
    Rule(
        id="chart-pinned",
        kinds=CHART_KINDS,
        check=_refuse_unpinned_chart,
        looks_at="versions of Helm charts",
        passes="each version is exact",
        fails="a version is a range or missing",
        why="two environments get different charts although nobody changed anything",
        fix="set one exact version",
    ),
    Rule(
        id="chart-registry-allowed",
        kinds=CHART_KINDS,
        check=_refuse_unknown_registry,
        settings={
            "registries": [
                "oci://public.ecr.aws/karpenter/",
                "https://helm.ngc.nvidia.com/nvidia",
                "https://aws.github.io/eks-charts",
                "https://prometheus-community.github.io/helm-charts",
                "https://kedacore.github.io/charts",
            ]
        },
        looks_at="registries of Helm charts",
        passes="the registry is allowed",
        fails="the registry is not allowed",
        why="a chart installs with the rights of a cluster admin",
        fix="use an allowed registry, or allow this one in policies/<environment>.json",
    ),
    Rule(
        id="addon-pinned",
        kinds=("Addon",),
        check=_refuse_unpinned_addon,
        looks_at="versions of EKS add-ons",
        passes="each version is exact",
        fails="a version is missing or not exact",
        why="AWS chooses the version, and a preview does not show it",
        fix="set addonVersion to an exact version",
    ),
)
