"""Resource groups: the pools that Kueue must weigh together, because they advertise a resource of the same name."""

from ...config import Pool, StackConfig
from ...records import Record


class ResourceGroup(Record):
    """Resources and pools that are connected; Kueue allows a resource, and a flavor, in one group only."""

    resources: tuple[str, ...]
    """Sorted: a layout of MIG is a mapping, whose order Pulumi's engine does not keep."""
    pools: tuple[Pool, ...]
    """In the order in which a job without a named pool tries them: pools with queue, then pools without, each in the
    order of the stack file."""


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
