"""Providers and the order of a destroy."""

from .rule import Report, Resource, Rule, Settings, Stack


def _explicit(resource: Resource, report: Report, _: Settings) -> None:
    if resource.type.startswith(("aws:", "kubernetes:")) and (
        "::default" in resource.provider or not resource.provider
    ):
        report(f"{resource.name} uses whatever {resource.type.split(':')[0]} credentials are at hand")


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


def _pools_first(stack: Stack, report: Report, _: Settings) -> None:
    releases = [
        release
        for release in stack.of("Release")
        if str(release.get("chart", default="")).rsplit("/", 1)[-1] == "karpenter"
    ]
    if not releases:
        return
    for resource in stack.of("NodePool", "EC2NodeClass"):
        if not _reaches(stack, resource, {release.urn for release in releases}):
            report(
                f"{resource.name} does not depend on Karpenter's release: a destroy may end Karpenter first", resource
            )


def _identity_last(stack: Stack, report: Report, _: Settings) -> None:
    needed = [one for one in stack.of("PodIdentityAssociation") if one.props.get("serviceAccount") == "karpenter"]
    for release in stack.of("Release"):
        if str(release.get("chart", default="")).rsplit("/", 1)[-1] == "karpenter":
            for one in needed:
                if not _reaches(stack, release, {one.urn}):
                    report(
                        f"Karpenter's release does not depend on {one.name}: a destroy may take its identity first",
                        release,
                    )


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
        id="karpenter-before-identity", kinds=("Release",), check=_identity_last, whole=True,
        looks_at="dependencies of Karpenter's release", passes="it depends on its Pod Identity association", fails="it does not",
        why="Karpenter loses its rights and cannot drain", fix="let the release depend on the association",
    ),
)  # fmt: skip
