"""The training run that ``job`` prints without ``--build-engine``: a Job or a JobSet below its comments."""

import argparse
import sys

import yaml

from ..config import StackConfig
from ..errors import UsageError
from ..judging.formats import make_printable
from ..rendering.files import Readable
from ..training.advice import list_notes, list_warnings
from ..training.requests import DEFAULT_NAME, RunRequest, read_request
from ..training.workloads import build_workload
from .tested_run import list_special_notes, prepare_request

_OPTIONS = ("image", "nodes", "gpus", "checkpoints", "env", "acceptance", "level", "profile")
_WORDS = {name: f"--{name}" for name in _OPTIONS} | {"mounts": "--mount", "run_name": "--name", "words": "PROGRAM"}
"""Argument of a run → its word on the command line."""


def print_run(config: StackConfig, arguments: argparse.Namespace) -> int:
    """Print the object, and its warnings also on the error stream, which a pipe to kubectl does not take."""
    run = read_request(config, prepare_request(config, read_arguments(arguments), arguments))
    warnings = [f"warning: {warning}" for warning in list_warnings(config, run) if arguments.acceptance != "dcgm"]
    for line in warnings:
        print(make_printable(line), file=sys.stderr)
    notes = "".join(
        f"# {line}\n" for line in (*warnings, *list_special_notes(config, run, arguments), *list_notes(run))
    )
    workload = yaml.dump(build_workload(config, run), Dumper=Readable, sort_keys=False, width=110)
    print(notes + workload, end="")
    return 0


def read_arguments(arguments: argparse.Namespace) -> RunRequest:
    """Return the words of the command line."""
    return RunRequest(
        pool=arguments.pool,
        tenant=arguments.tenant,
        image=arguments.image,
        command=tuple(arguments.words),
        nodes=1 if arguments.nodes is None else arguments.nodes,
        gpus=arguments.gpus,
        checkpoints=arguments.checkpoints,
        name=arguments.run_name or DEFAULT_NAME,
        mounts=tuple(arguments.mounts),
        env=tuple(arguments.env),
    )


def refuse_words_of_a_run(arguments: argparse.Namespace) -> None:
    """Refuse words of a training run beside ``--build-engine``.

    Raises:
        UsageError: There are some.
    """
    if given := [word for name, word in _WORDS.items() if vars(arguments)[name] not in (None, "", [])]:
        reason = "--build-engine builds plans, and the other words start a training run"
        raise UsageError(f"{reason}; leave {', '.join(given)} out, or --build-engine")
