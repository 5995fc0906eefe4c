"""``explain``: why does a pool hand out what it hands out, and what must a pod ask for?"""

import argparse

from rich.table import Table

from ..config import open_stack
from ..errors import UsageError, near
from ..explain import explain
from .tables import console


def run(arguments: argparse.Namespace) -> int:
    """Print the chain of one pool."""
    stack = open_stack(arguments.stack).config
    if arguments.pool not in stack.pools_by_name:
        raise UsageError(
            f"{arguments.stack} has no pool {arguments.pool!r} {near(arguments.pool, stack.pools_by_name, 'it has')}"
        )
    pool = stack.pools_by_name[arguments.pool]
    grid = Table(box=None, show_header=False, pad_edge=False)
    grid.add_column(style="bold", no_wrap=True)
    grid.add_column(overflow="fold")
    for number, step in enumerate(explain(stack, pool)):
        if number:
            grid.add_row()
        grid.add_row(step.title, "\n".join(step.lines))
    out = console()
    out.print(f"[bold]{pool.name}[/], for {pool.purpose}\n")
    out.print(grid)
    return 0
