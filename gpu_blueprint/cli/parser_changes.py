"""The arguments of `changes`."""

import argparse
from collections.abc import Callable
from pathlib import Path

from ..changes.effects import VERDICTS


def add_changes(
    command: Callable[..., argparse.ArgumentParser], add_json: Callable[[argparse.ArgumentParser], None]
) -> None:
    """Add the command; ``command`` takes the name of a command, its help, and its examples."""
    changes = command(
        "changes",
        "show the effects of an edit on the stack that runs: drained nodes, tenants, replaced resources, costs",
        "blueprint changes prod",
        "blueprint changes prod --against main",
        "blueprint changes prod --against HEAD~1 --format markdown",
        "blueprint changes prod --against main --fail-on replaces-resources",
        "blueprint changes prod --against rendered/prod/plan.json",
    )
    changes.add_argument("stack", metavar="STACK", help="name of a stack, such as dev")
    changes.add_argument(
        "--against",
        metavar="BASE",
        help="the stack before the edit: a git revision, a checkout, a folder of `render`, or a plan.json; the code of"
        " a revision or of a checkout is run (default: the merge base with the main branch)",
    )
    changes.add_argument(
        "--fail-on",
        metavar="VERDICT",
        choices=VERDICTS[1:],
        help=f"return 1 if the verdict is this or a graver one: {', '.join(VERDICTS[1:])}",
    )
    changes.add_argument(
        "--rehearsal", metavar="FILE", type=Path, help="also show a rehearsal: the output of `rehearse --json`"
    )
    changes.add_argument("--format", choices=("text", "json", "markdown"), default="text", help="format of the output")
    add_json(changes)
