"""A stack, explained: the lines, and the parts that have names, of each of its subjects."""

from collections.abc import Iterator, Mapping

from ..config import StackConfig
from ..subject import Subject
from .cluster import steps as cluster_steps
from .facet import Explain, Part
from .images import steps as image_steps
from .keys import steps as key_steps
from .models import steps as model_steps
from .money import steps as money_steps
from .monitoring import steps as monitoring_steps
from .pools import steps as pool_steps
from .queues import steps as queue_steps
from .services import steps as service_steps
from .step import Step
from .storage import steps as storage_steps
from .tenants import steps as tenant_steps

EXPLAIN: Mapping[Subject, Explain] = {
    "cluster": cluster_steps.EXPLAIN,
    "images": image_steps.EXPLAIN,
    "pools": pool_steps.EXPLAIN,
    "tenants": tenant_steps.EXPLAIN,
    "queues": queue_steps.EXPLAIN,
    "services": service_steps.EXPLAIN,
    "models": model_steps.EXPLAIN,
    "storage": storage_steps.EXPLAIN,
    "keys": key_steps.EXPLAIN,
    "monitoring": monitoring_steps.EXPLAIN,
    "money": money_steps.EXPLAIN,
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
