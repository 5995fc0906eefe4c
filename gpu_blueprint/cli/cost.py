"""``cost``: what does a stack cost when nothing runs, as expected, and with every limit reached?"""

import argparse
import importlib
import json
import sys
from collections.abc import Iterable
from datetime import date

from rich.table import Table
from rich.text import Text

from ..catalog.prices import STALE_AFTER
from ..checks.budgets import spending_problems
from ..cost import Estimate, estimate, read_estimate
from ..cost.estimate import CASES, as_json
from ..cost.money import Cost, Usd
from ..loading import StackFile, open_stack
from .files import write_whole
from .text.cost_changes import show_changes
from .text.tables import console, table


def run(arguments: argparse.Namespace) -> int:
    """Print the estimate, or what changes beside another; 1 when a bound of the stack is broken."""
    stack = open_stack(arguments.stack, bounded=False)
    found = estimate(stack.config)
    if arguments.svg:
        chart = importlib.import_module("gpu_blueprint.cost.chart")  # loads pygal, which nothing else needs
        write_whole(arguments.svg, chart.svg(found))
        print(f"{arguments.svg}: drawn", file=sys.stderr)
    if arguments.compare:
        other = estimate(open_stack(arguments.compare, bounded=False).config)
        show_changes(as_json(found), as_json(other), as_document=arguments.json)
    elif arguments.against:
        show_changes(read_estimate(arguments.against), as_json(found), as_document=arguments.json)
    elif arguments.json:
        print(json.dumps(as_json(found), indent=2))
    else:
        _show(stack, found)
    broken = list(spending_problems(stack.config))
    for problem in broken:
        print(f"{stack.source.file}: {problem}", file=sys.stderr)
    return 1 if broken else 0


def one_line(found: Estimate) -> str:
    """The estimate in one line, as the preview shows it."""
    cost = found.cost
    expected = f"{cost.expected.hour}/h expected ({_month(cost.expected.month)} a month)"
    most = "unknown, for want of prices" if cost.ceiling.hour.unknown else f"{cost.ceiling.hour}/h on demand"
    return f"costs {cost.floor.hour}/h idle, {expected}, at most {most}"


def stale(found: Estimate, today: date) -> str | None:
    """What to say of old prices."""
    if found.as_of is None or today - found.as_of <= STALE_AFTER:
        return None
    return f"the oldest price of an instance is of {found.as_of}; {_refresh(found)}"


def _refresh(found: Estimate) -> str:
    return f"with AWS credentials, python -m tools.refresh_prices --region {found.region} reads prices anew"


def _show(stack: StackFile, found: Estimate) -> None:
    out = console()
    dated = f"instances at list prices of {found.as_of} or later, " if found.as_of else ""
    out.print(Text.assemble((found.stack, "bold"), f" in {found.region}: US dollars, {dated}without taxes\n"))
    out.print(_sums(found))
    out.print(_slices(found))
    if len(found.tenants) > 1:
        out.print(_tenants(found))
    out.print(_listed("Commitments", [(one.pool, one.text) for one in found.advice]))
    out.print(_listed("Assumed", [("", text) for text in found.assumptions]))
    for name, bound, cost in (
        ("hourlyCeiling", stack.config.hourly_ceiling, found.cost.ceiling.hour),
        ("monthlyBudget", stack.config.monthly_budget, found.cost.expected.month),
    ):
        if bound is not None:
            out.print(Text(f"{name}: {_money(cost)} of {_money(Usd(bound))}"))
    if found.unknown:
        text = f"no price is known of {', '.join(found.unknown)}: sums with > are without it; {_refresh(found)}"
        out.print(Text(text, style="yellow"))
    if old := stale(found, date.today()):
        out.print(Text(f"warning: {old}", style="yellow"))


def _sums(found: Estimate) -> Table:
    listed = _figures("Idle and expected as bought, at most on demand", "")
    for one in found.items:
        words = f"{one.count} × {one.name}" if one.count > 1 else one.name
        _add(listed, f"[dim]{words}[/]", one.cost)
    for pool in found.pools:
        _add(listed, pool.name, pool.cost)
    _add(listed, "all", found.cost, style="bold")
    _add(listed, "if all were on demand", found.on_demand, style="dim")
    listed.add_row()
    return listed


def _figures(title: str, first: str) -> Table:
    listed = Table(title=title, title_justify="left", title_style="bold", expand=True, box=None, pad_edge=False)
    listed.add_column(first, overflow="fold")
    for case in ("idle/h", "a month", "expected/h", "a month", "at most/h", "a month"):
        listed.add_column(case, header_style="underline", justify="right", no_wrap=True)
    return listed


def _add(listed: Table, name: str, cost: Cost, style: str = "") -> None:
    spends = [getattr(cost, case) for case in CASES]
    listed.add_row(name, *(text for one in spends for text in (_hour(one.hour), _month(one.month))), style=style)


def _hour(usd: Usd) -> str:
    return str(usd) if usd.known >= 1 or usd.unknown or not usd.known else f"${usd.known:.3f}"


def _month(usd: Usd) -> str:
    return f"> ${usd.known:,.0f}" if usd.unknown and usd.known else str(usd) if usd.unknown else f"${usd.known:,.0f}"


def _money(usd: Usd) -> str:
    return _month(usd) if usd.known >= 1000 else str(usd)


def _slices(found: Estimate) -> Table:
    listed = table(
        "What one of it costs an hour", "pool", "resource", "in an hour of use, as expected", "at full use, on demand"
    )
    for pool in found.pools:
        for name, (expected, most) in pool.slices.items():
            listed.add_row(pool.name, name.removeprefix("nvidia.com/"), _fine(expected), _fine(most))
    listed.add_row()
    return listed


def _fine(usd: Usd) -> str:
    return "unknown" if usd.unknown else f"${usd.known:,.4f}" if usd.known < 1 else f"${usd.known:,.2f}"


def _tenants(found: Estimate) -> Table:
    listed = _figures("By tenant: the pools by quota; the platform is not divided", "")
    for name, cost in found.tenants.items():
        _add(listed, name, cost)
    _add(listed, "platform", found.platform)
    _add(listed, "all", found.cost, style="bold")
    listed.add_row()
    return listed


def _listed(title: str, lines: Iterable[tuple[str, str]]) -> Table:
    grid = Table(title=title, title_justify="left", title_style="bold", box=None, show_header=False, pad_edge=False)
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    for name, text in lines:
        grid.add_row(name or "–", text)
    grid.add_row()
    return grid
