"""Decide about each object: it stands in a state, a living cluster runs it, or it is a leftover."""

from collections.abc import Iterable, Mapping, Sequence

from ...config import StackConfig
from ...cost.money import Usd
from ...records import Record
from .marks import NODE_CLASS_TAG, NODE_GROUP_TAG, POOL_TAG, find_cluster, list_marks
from .resource import REPOSITORY, Resource
from .states import States


class Attended(Record):
    """An object that stands in no state and is no leftover, because a living cluster makes and deletes it."""

    resource: Resource
    by: str
    """The part of the cluster, such as ``pool infer-l4`` or ``node group gpu-prod-system-8f3c``."""


class Verdicts(Record, kw_only=True):
    """Every object that carries the tags of the platform, sorted by its fate."""

    leftovers: Sequence[Resource]
    attended: Sequence[Attended]
    held: int
    """Number of objects that stand in a state."""

    @property
    def month(self) -> Usd:
        """US dollars a month of all leftovers together."""
        return sum((resource.month for resource in self.leftovers if resource.month), start=Usd())


def judge(stack: StackConfig, states: States, found: Iterable[Resource]) -> Verdicts:
    """Compare what was found with the states. Without a state, no cluster is known to be alive."""
    resources = sorted(found, key=lambda resource: (resource.arn.kind, resource.arn.name))
    names = {resource.arn.name for resource in resources if resource.arn.kind == "eks:cluster"}
    living = states.clusters & names
    held = [resource for resource in resources if states.hold(resource)]
    others = [resource for resource in resources if not states.hold(resource)]
    keepers = {resource.arn.text: find_keeper(stack, states, living, resource) for resource in others}
    hosts = {resource.arn.name: keepers[resource.arn.text] for resource in others if resource.arn.type == "instance"}
    attended, leftovers = [], []
    for resource in others:
        keeper = hosts.get(resource.instance, keepers[resource.arn.text])
        if keeper:
            attended.append(Attended(resource, keeper))
        else:
            leftovers.append(resource)
    leftovers.sort(key=lambda resource: -(resource.month.known if resource.month else 0))
    return Verdicts(leftovers=leftovers, attended=attended, held=len(held))


def find_keeper(stack: StackConfig, states: States, living: Iterable[str], resource: Resource) -> str:
    """Return the part of a living cluster that makes and deletes an object; empty if there is none.

    A node of a pool that the program made, and that no state knows any more, has nobody who deletes it. A pool of the
    team's own stands in no state either; its nodes lack the tags of the blueprint.
    """
    prefix = resource.arn.name.partition("/")[0]
    if resource.arn.kind == REPOSITORY and prefix in states.caches:
        return f"image cache {prefix}"  # ECR makes a repository when a node first pulls an image
    tags, cluster = resource.tags, find_cluster(resource.tags)
    if cluster not in living:
        return ""
    if keeper := _find_known_part(states, tags):
        return keeper
    return "" if list_marks(stack)[0].is_on(tags) else f"cluster {cluster}"


def _find_known_part(states: States, tags: Mapping[str, str]) -> str:
    parts = (
        (POOL_TAG, states.pools, "pool"),
        (NODE_CLASS_TAG, states.node_classes, "node class"),
        (NODE_GROUP_TAG, states.node_groups, "node group"),
    )
    return next((f"{words} {tags[key]}" for key, known, words in parts if tags.get(key) in known), "")
