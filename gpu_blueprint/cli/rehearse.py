"""``rehearse``: run a stack on real engines and compare its promises with reality."""

import argparse
import json
from collections.abc import Iterator
from contextlib import contextmanager

from lab.lab import Lab
from rich.console import Console

from ..loading import open_stack
from ..plan import record
from ..rehearsal.report import as_json
from ..rehearsal.runner import Report, rehearse
from ..rehearsal.scene import build_scene
from .text.rehearsal import show_rehearsal


def run(arguments: argparse.Namespace) -> int:
    """Print the report of a rehearsal. Return 1 if the engines did anything else than the stack file promises."""
    stack = open_stack(arguments.stack)
    with report_progress() as report:
        report(f"rendering {stack.source.file} …")
        scene = build_scene(stack.name, stack.config, record(stack.name, stack.source.config))
        report("starting the engines …")
        with Lab(scene) as lab:
            found = rehearse(lab, stack.config, report)
    if arguments.format == "json":
        print(json.dumps(as_json(found), indent=2))
    else:
        show_rehearsal(stack.config, found)
    return int(not found.is_as_expected)


@contextmanager
def report_progress() -> Iterator[Report]:
    """Give a function that shows a line on the terminal until the next line; a pipe gets every line."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda line: print(line, file=console.file, flush=True)
        return
    with console.status("") as status:
        yield status.update
