"""The training run that ``job`` prints without ``--build-engine``: a Job or a JobSet below its comments."""

import argparse
import sys

import yaml

from ..config import StackConfig
from ..errors import UsageError
from ..judging.formats import make_printable
from ..training.advice import list_notes, list_warnings
from ..training.requests import RunRequest, read_request
from ..training.workloads import build_workload

_WORDS = ("image", "checkpoints", "gpus", "words")


def print_run(config: StackConfig, arguments: argparse.Namespace) -> int:
    """Print the object, and its warnings also on the error stream, which a pipe to kubectl does not take."""
    run = read_request(config, read_arguments(arguments))
    warnings = [f"warning: {warning}" for warning in list_warnings(config, run)]
    for line in warnings:
        print(make_printable(line), file=sys.stderr)
    notes = "".join(f"# {line}\n" for line in (*warnings, *list_notes(run)))
    print(notes + yaml.safe_dump(build_workload(config, run), sort_keys=False, width=110), end="")
    return 0


def read_arguments(arguments: argparse.Namespace) -> RunRequest:
    """Return the words of the command line."""
    return RunRequest(
        pool=arguments.pool,
        tenant=arguments.tenant,
        image=arguments.image,
        command=tuple(arguments.words),
        nodes=arguments.nodes,
        gpus=arguments.gpus,
        checkpoints=arguments.checkpoints,
        name=arguments.run_name,
    )


def refuse_words_of_a_run(arguments: argparse.Namespace) -> None:
    """Refuse words of a training run beside ``--build-engine``.

    Raises:
        UsageError: There are some.
    """
    if any(vars(arguments)[word] for word in _WORDS):
        raise UsageError("--build-engine builds plans, and the other words start a training run; give one of both")
