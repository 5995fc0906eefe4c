"""The rules for a stack as a whole, without facts from elsewhere: names and tags."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..problem import Problem, move_under

if TYPE_CHECKING:
    from .stack import StackConfig

OWN_TAGS = ("owner", "environment", "cost-center", "managed-by", "pool", "Name")
"""Tags that the blueprint sets from other fields, on every resource or on nodes."""
_ROLE_TAGS = 1
"""Tags that the blueprint sets on few resources: the role of a subnet, the mark of EFA's security group."""
MOST_TAGS = 50 - len(OWN_TAGS) - _ROLE_TAGS
"""Number of tags that a team may add to a resource, of the 50 that EC2 allows (EC2 user guide, «Tag restrictions»)."""


def find_stack_problems(stack: "StackConfig") -> Iterator[Problem]:
    """Yield the problems between the fields of a stack that need no fact from elsewhere."""
    for key in stack.tags:
        if key.lower() in (own.lower() for own in OWN_TAGS):
            reason = f"the blueprint sets the tag {key!r} itself, from another field"
            yield Problem("tag-taken", ("tags", key), reason, "remove it here")
    yield from _refuse_keys_that_differ_in_case(list(stack.tags))
    if not stack.gpu_pools:
        reason = "every pool is a CPU pool, and the platform is made for GPUs"
        yield Problem("no-gpu-pool", ("pools",), reason, "add a pool with GPUs", names=("pools",))
    for index, pool in enumerate(stack.pools):
        found = pool.disruption.find_window_problems(stack.timezone)
        yield from move_under(found, "pools", index, "disruption", "budgets")
    yield from _refuse_repeated_names([pool.name for pool in stack.pools], "pools", "name")
    yield from _refuse_repeated_names([tenant.name for tenant in stack.tenants], "tenants", "name")
    first_index = {tenant.name: index for index, tenant in reversed([*enumerate(stack.tenants)])}
    for problem in _refuse_repeated_names([tenant.namespace_name for tenant in stack.tenants], "tenants", "namespace"):
        index = int(problem.path[1])
        if first_index[stack.tenants[index].name] == index:  # the rule above reports a repeated tenant name
            yield problem


def _refuse_keys_that_differ_in_case(keys: list[str]) -> Iterator[Problem]:
    for index, key in enumerate(keys):
        if twins := [other for other in keys[:index] if other.lower() == key.lower()]:
            reason = f"the tag {key!r} differs from {twins[0]!r} only in case, and IAM takes both for one key"
            yield Problem("tag-twice", ("tags", key), reason, "remove one")


def _refuse_repeated_names(names: list[str], collection: str, field: str) -> Iterator[Problem]:
    for index, name in enumerate(names):
        if name in names[:index]:
            reason = f"{name!r} is already the {field} of {collection}.{names.index(name)}"
            path = (collection, index, field)
            yield Problem("name-taken", path, reason, f"choose another {field}", names=(name,))
