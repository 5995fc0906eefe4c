"""A stack, explained: the lines, and the parts that have names, of each of its subjects."""

from collections.abc import Iterator, Mapping

from ..config import StackConfig
from ..subject import Subject
from .cluster import chain as cluster_chain
from .facet import Explain, Part
from .images import chain as image_chain
from .keys import chain as key_chain
from .models import chain as model_chain
from .money import chain as money_chain
from .monitoring import chain as monitoring_chain
from .pools import chain as pool_chain
from .queues import chain as queue_chain
from .services import chain as service_chain
from .step import Step
from .storage import chain as storage_chain
from .tenants import chain as tenant_chain

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
