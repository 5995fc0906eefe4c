"""``training-plan``: estimate the days and dollars of a training run, with its interruptions and checkpoints."""

import argparse

from ..errors import UsageError, suggest
from ..files.loading import list_stacks, open_stack
from ..subjects.training.plan_requests import PlanWords, read_plan_request
from ..subjects.training.plans import plan_training
from .prices import warn_of_prices
from .text.training_plan import show, show_json


def run(arguments: argparse.Namespace) -> int:
    """Print the plan."""
    if arguments.stack not in list_stacks():
        raise UsageError(
            f"there is no stack {arguments.stack!r}; {suggest(arguments.stack, list_stacks(), 'there are')}"
        )
    file = open_stack(arguments.stack, bounded=False)
    stack = file.config
    words = PlanWords(
        stack=arguments.stack,
        pool=arguments.pool,
        params=arguments.params,
        nodes=arguments.nodes,
        days=arguments.days,
        bytes_per_parameter=arguments.bytes_per_parameter,
        checkpoints=arguments.checkpoints,
        keep=arguments.keep,
        reclaimed=arguments.reclaimed,
        tenant=arguments.tenant,
    )
    plan = plan_training(stack, read_plan_request(stack, words))
    if arguments.format == "json":
        show_json(plan)
    else:
        show(plan, explains=arguments.explain)
    warn_of_prices(file)
    return 0
