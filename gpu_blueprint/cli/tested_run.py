"""The words of ``job`` that give a run its program, or wrap it: ``--acceptance`` and ``--profile``."""

import argparse
from collections.abc import Iterator
from dataclasses import replace

from ..config import StackConfig
from ..errors import UsageError
from ..training.acceptance import NODES, ask_for_all_reduce, ask_for_diagnosis, list_acceptance_notes
from ..training.profiling import list_profile_notes, wrap_in_profiler
from ..training.requests import RunRequest
from ..training.run import TrainingRun

_LEVEL = 2


def prepare_request(config: StackConfig, asked: RunRequest, arguments: argparse.Namespace) -> RunRequest:
    """Return the request with the program of a test, with a profiler around its program, or unchanged.

    Raises:
        UsageError: The words contradict each other, or the pool cannot be tested so.
    """
    if arguments.level is not None and arguments.acceptance != "dcgm":
        raise UsageError("--level is the level of --acceptance dcgm; add it, or leave --level out")
    if arguments.profile:
        # Under the name of the run itself it would go on at the run's checkpoints.
        return wrap_in_profiler(replace(asked, name=arguments.run_name or "profile"), arguments.profile)
    if not arguments.acceptance:
        return asked
    if asked.command or asked.checkpoints:
        raise UsageError(
            "--acceptance has a program of its own, which keeps nothing; leave PROGRAM and --checkpoints out"
        )
    asked = replace(asked, name=arguments.run_name or f"accept-{arguments.acceptance}")
    if arguments.acceptance == "dcgm":
        return ask_for_diagnosis(config, asked, _LEVEL if arguments.level is None else arguments.level)
    return ask_for_all_reduce(config, asked if arguments.nodes is not None else replace(asked, nodes=NODES))


def list_special_notes(config: StackConfig, run: TrainingRun, arguments: argparse.Namespace) -> Iterator[str]:
    """Yield what people have to know about a test or a profile."""
    if arguments.acceptance:
        yield from list_acceptance_notes(config, run, arguments.acceptance)
    elif arguments.profile:
        yield from list_profile_notes(arguments.profile)
