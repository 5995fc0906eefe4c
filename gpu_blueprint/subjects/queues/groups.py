"""Resource groups of Kueue: pools that advertise the same resource name must be in one group."""

from ...config import Pool, StackConfig
from ...records import Record


class ResourceGroup(Record):
    """Pools that common resource names connect. Kueue allows each resource and each flavor in one group only."""

    resources: tuple[str, ...]
    """Sorted, because Pulumi's engine does not keep the order of the mapping in a MIG layout."""
    pools: tuple[Pool, ...]
    """In the order in which Kueue tries them for a job without a pool label: pools with a queue, then the others. Both
    parts have the order of the stack file."""


def list_groups(stack: StackConfig) -> list[ResourceGroup]:
    """Return the groups of all GPU pools."""
    ordered = sorted(stack.gpu_pools, key=lambda pool: pool not in stack.queued_pools)
    found: list[ResourceGroup] = []
    for pool in ordered:
        names, connected = {*pool.profile.per_device}, [pool]
        for other in [other for other in found if names & {*other.resources}]:
            found.remove(other)
            names, connected = names | {*other.resources}, [*connected, *other.pools]
        found.append(ResourceGroup((*sorted(names),), (*sorted(connected, key=ordered.index),)))
    return found
