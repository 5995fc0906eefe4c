"""The arguments of the commands that move a stack file to newer versions."""

import argparse
from collections.abc import Callable

_STACK = "name of a stack, such as dev"


def add_versions(
    command: Callable[..., argparse.ArgumentParser], add_json: Callable[[argparse.ArgumentParser], None]
) -> None:
    """Add the commands; ``command`` takes the name of a command, its help, and its examples."""
    migrate = command(
        "migrate",
        "rewrite a stack file of an older schema, with its comments and its order; show the changed lines",
        "blueprint migrate prod",
        "blueprint migrate prod --write",
    )
    for parser in (migrate,):
        parser.add_argument("stack", metavar="STACK", help=_STACK)
        parser.add_argument("--write", action="store_true", help="also write the stack file (default: only show)")
        add_json(parser)
