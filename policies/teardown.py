"""Providers and the order of a destroy."""

import re

from .rule import Report, Resource, Rule, Settings, Stack

_DEFAULT = re.compile(r"::default(_\d[\w.-]*)?$")
"""How the engine calls the providers that it makes by itself: by their version."""
_COMPONENTS = ("kubernetes:helm.sh/v3:Chart", "kubernetes:helm.sh/v4:Chart", "kubernetes:yaml", "kubernetes:kustomize")
"""Types that have no provider of their own; what they make has one. So it is with all of pulumi-eks."""


def _explicit(resource: Resource, report: Report, _: Settings) -> None:
    package = resource.type.split(":")[0]
    if (
        package in ("aws", "aws-native", "kubernetes")
        and not resource.type.startswith(_COMPONENTS)
        and (not resource.provider or _DEFAULT.search(resource.provider))
    ):
        report(f"{resource.name} uses whatever {package} credentials are at hand")


def _reaches(stack: Stack, start: Resource, goal: set[str]) -> bool:
    seen: set[str] = set()
    todo = [start.urn]
    while todo:
        urn = todo.pop()
        if urn in goal:
            return True
        if urn not in seen and urn in stack.by_urn:
            seen.add(urn)
            todo += stack.by_urn[urn].dependencies
    return False


def _controllers(stack: Stack) -> list[Resource]:
    return [
        one
        for one in stack.of("Release", "Chart")
        if str(one.get("chart", default="")).rsplit("/", 1)[-1] == "karpenter"
    ]


def _pools_first(resource: Resource, report: Report, _: Settings, stack: Stack) -> None:
    controllers = {one.urn for one in _controllers(stack)}
    if controllers and not _reaches(stack, resource, controllers):
        report(f"{resource.name} does not depend on Karpenter's release: a destroy may end Karpenter first")


def _identity_last(release: Resource, report: Report, _: Settings, stack: Stack) -> None:
    if release not in _controllers(stack):
        return
    account = release.get("values", "serviceAccount", "name", default="karpenter")
    for one in stack.of("PodIdentityAssociation"):
        if one.get("serviceAccount") == account and not _reaches(stack, release, {one.urn}):
            report(f"Karpenter's release does not depend on {one.name}: a destroy may take its identity first")


RULES = (
    Rule(
        id="no-default-providers", kinds=("*",), check=_explicit,
        looks_at="providers of AWS and Kubernetes resources", passes="each is explicit", fails="one is the default",
        why="a laptop's ambient credentials decide where it is built", fix="pass the provider, and disable default providers",
    ),
    Rule(
        id="pools-before-karpenter", kinds=("NodePool", "EC2NodeClass"), check=_pools_first, whole=True,
        looks_at="dependencies of pools and node classes", passes="they depend on Karpenter's release, so they go first", fails="they do not",
        why="nodes stay behind and are paid after the destroy", fix="let them depend on the release",
    ),
    Rule(
        id="karpenter-before-identity", kinds=("Release", "Chart"), check=_identity_last, whole=True,
        looks_at="dependencies of Karpenter's release", passes="it depends on its Pod Identity association", fails="it does not",
        why="Karpenter loses its rights and cannot drain", fix="let the release depend on the association",
    ),
)  # fmt: skip
