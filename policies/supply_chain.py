"""Charts and add-ons: pinned, and from where they should be."""

import re

from .rule import Report, Resource, Rule, Settings

_EXACT = re.compile(r"v?\d+\.\d+\.\d+([-+.][\w.-]+)?")


def _untold(release: Resource) -> bool:
    """Whether it is a component of which the engine knows no more than the name."""
    return release.kind == "Chart" and not release.props


def _chart_pinned(release: Resource, report: Report, _: Settings) -> None:
    if _untold(release):
        return
    version = release.get("version", default="")
    own = str(release.get("chart", default="")).startswith((".", "/"))  # its commit is its version
    if not own and not _EXACT.fullmatch(str(version)):
        report(f"chart {release.get('chart', default=release.name)} has the version {version or 'of the day'}")


def _chart_allowed(release: Resource, report: Report, settings: Settings) -> None:
    if _untold(release):
        return
    source = release.get("repositoryOpts", "repo", default="") or release.get("chart", default="")
    if not any(f"{source}/".startswith(f"{allowed.rstrip('/')}/") for allowed in settings["registries"]):
        report(f"chart {release.name} comes from {source}")


def _addon_pinned(addon: Resource, report: Report, _: Settings) -> None:
    version = addon.get("addonVersion", default="")
    if not _EXACT.fullmatch(str(version)):
        report(f"add-on {addon.get('addonName', default=addon.name)} has the version {version or 'of the day'}")


RULES = (
    Rule(
        id="chart-pinned", kinds=("Release", "Chart"), check=_chart_pinned,
        looks_at="versions of Helm charts", passes="each is exact", fails="one is a range or missing",
        why="two environments differ and nobody changed anything", fix="write one version",
    ),
    Rule(
        id="chart-registry-allowed", kinds=("Release", "Chart"), check=_chart_allowed,
        settings={"registries": ["oci://public.ecr.aws/karpenter/", "https://helm.ngc.nvidia.com/nvidia", "https://aws.github.io/eks-charts", "https://prometheus-community.github.io/helm-charts", "https://kedacore.github.io/charts"]},
        looks_at="where Helm charts come from", passes="the registry is allowed", fails="it is not",
        why="a chart runs as cluster admin", fix="use an allowed registry, or allow this one in the environment's file",
    ),
    Rule(
        id="addon-pinned", kinds=("Addon",), check=_addon_pinned,
        looks_at="versions of EKS add-ons", passes="each is exact", fails="one is missing",
        why="AWS chooses, and a preview does not show what", fix="set addonVersion",
    ),
)  # fmt: skip
