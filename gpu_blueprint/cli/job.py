"""``job``: print a tenant's Job as YAML for kubectl: a training run, or the build of a model's TensorRT plans."""

import argparse

from ..errors import UsageError, suggest
from ..files.loading import list_stacks, open_stack
from .engine_build import print_engine_build
from .training_run import print_run, refuse_words_of_a_run


def run(arguments: argparse.Namespace) -> int:
    """Print the build of a model's plans if ``--build-engine`` is set, else a training run."""
    if arguments.stack not in list_stacks():
        raise UsageError(
            f"there is no stack {arguments.stack!r}; {suggest(arguments.stack, list_stacks(), 'there are')}"
        )
    config = open_stack(arguments.stack, bounded=False).config
    if arguments.build_engine is None:
        return print_run(config, arguments)
    refuse_words_of_a_run(arguments)
    return print_engine_build(config, arguments)
