"""``explain``: why does a pool hand out what it hands out, and what must a pod ask for? Or: what is a rule or an alert for?"""

import argparse

from rich.table import Table

from policies import RULES

from ..docs import described, runbook
from ..errors import UsageError, near
from ..loading import existing_stacks, open_stack
from ..monitoring import ALERTS
from ..summary.pool_chain import explain
from .text.tables import console


def run(arguments: argparse.Namespace) -> int:
    """Print the chain of one pool, one rule or one alert."""
    if arguments.pool is None:
        if arguments.subject in existing_stacks():
            pools = ", ".join(pool.name for pool in open_stack(arguments.subject, bounded=False).config.pools)
            raise UsageError(f"which pool of {arguments.subject}? it has {pools}")
        _rule(arguments.subject)
    else:
        _pool(arguments.subject, arguments.pool)
    return 0


def _rule(name: str) -> None:
    rules, alerts = {rule.id: rule for rule in RULES}, {alert.name: alert for alert in ALERTS}
    if name not in {*rules, *alerts}:
        kinds = f"there is no policy rule and no alert {name!r}"
        raise UsageError(f"{kinds} {near(name, [*rules, *alerts])}; for a pool, name stack and pool")
    print(f"{name}\n")
    for line in described(rules[name]) if name in rules else runbook(alerts[name]):
        print(line.strip())


def _pool(stack_name: str, name: str) -> None:
    stack = open_stack(stack_name, bounded=False).config
    if name in {alert.name for alert in ALERTS}:
        raise UsageError(f"{name} is an alert: blueprint explain {name}")
    if places := [one.pool for one in stack.services if one.name == name and one.pool in stack.pools_by_name]:
        raise UsageError(f"{name} is a service in pool {places[0]}: blueprint explain {stack_name} {places[0]}")
    if name not in stack.pools_by_name:
        raise UsageError(f"{stack_name} has no pool {name!r} {near(name, stack.pools_by_name, 'it has')}")
    pool = stack.pools_by_name[name]
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
