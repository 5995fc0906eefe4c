"""A stack, explained: the lines, and the parts that have names, of each of its subjects."""

from collections.abc import Iterator, Mapping

from ..config import StackConfig
from ..subject import Subject
from . import (
    cluster_chain,
    image_chain,
    key_chain,
    model_chain,
    money_chain,
    monitoring_chain,
    pool_chain,
    queue_chain,
    service_chain,
    storage_chain,
    tenant_chain,
)
from .facet import Explain, Part
from .step import Step

EXPLAIN: Mapping[Subject, Explain] = {
    "cluster": cluster_chain.EXPLAIN,
    "images": image_chain.EXPLAIN,
    "pools": pool_chain.EXPLAIN,
    "tenants": tenant_chain.EXPLAIN,
    "queues": queue_chain.EXPLAIN,
    "services": service_chain.EXPLAIN,
    "models": model_chain.EXPLAIN,
    "storage": storage_chain.EXPLAIN,
    "keys": key_chain.EXPLAIN,
    "monitoring": monitoring_chain.EXPLAIN,
    "money": money_chain.EXPLAIN,
}
"""Subject → its explanation, in the order in which `explain` and `preview` print."""


def explain_stack(stack: StackConfig) -> Iterator[Step]:
    """Yield the steps from a stack's account and network to its cost."""
    for explain in EXPLAIN.values():
        for title, describe in explain.lines.items():
            if lines := tuple(describe(stack)):
                yield Step(title, lines)


def list_parts(stack: StackConfig, name: str) -> Iterator[Part]:
    """Yield all parts of a stack that have names.

    Args:
        stack: The stack.
        name: Name of the stack file, for commands to copy.
    """
    for explain in EXPLAIN.values():
        yield from explain.parts(stack, name)
