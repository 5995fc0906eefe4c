"""``cost``: what does a stack cost when nothing runs, as expected, and with every limit reached?"""

import argparse
import json
import tempfile
from datetime import date
from pathlib import Path

from rich.table import Table
from rich.text import Text

from ..catalog.prices import STALE_AFTER
from ..config import open_stack
from ..cost import Change, Estimate, compare, estimate, read_estimate
from ..cost.estimate import CASES, as_json
from ..errors import UsageError
from ..pricing import Cost, Usd
from .tables import console, table


def run(arguments: argparse.Namespace) -> int:
    """Print the estimate, or what changes beside another."""
    found = estimate(open_stack(arguments.stack).config)
    if arguments.svg:
        _draw(found, arguments.svg)
    if arguments.compare or arguments.against:
        before = (
            as_json(estimate(open_stack(arguments.compare).config))
            if arguments.compare
            else read_estimate(arguments.against)
        )
        _show_changes(before, as_json(found), arguments)
    elif arguments.json:
        print(json.dumps(as_json(found), indent=2))
    else:
        _show(found)
    return 0


def one_line(found: Estimate) -> str:
    """The estimate in one line, as the preview shows it."""
    idle, expected = found.as_bought.floor.hour, found.as_bought.expected
    most = found.on_demand.ceiling.hour
    return f"costs {idle}/h idle, {expected.hour}/h expected ({_month(expected.month)} a month), at most {most}/h on demand"


def stale(found: Estimate, today: date) -> str | None:
    """What to say of old prices."""
    if found.as_of is None or today - found.as_of <= STALE_AFTER:
        return None
    return (
        f"the oldest price is of {found.as_of}: python -m tools.refresh_prices --region {found.region} reads them anew"
    )


def _show(found: Estimate) -> None:
    out = console()
    out.print(Text.assemble((found.stack, "bold"), f" in {found.region}: US dollars, list prices without taxes\n"))
    out.print(_sums(found))
    out.print(_slices(found))
    if len(found.tenants) > 1:
        out.print(_tenants(found))
    for title, lines in (
        ("Commitments", [f"{one.pool}: {one.text}" for one in found.advice]),
        ("Assumed", found.assumptions),
    ):
        out.print(Text(title, style="bold"))
        for line in lines:
            out.print(Text(f"  {line}"))
    unknown = sorted(found.on_demand.ceiling.hour.unknown | found.as_bought.ceiling.hour.unknown)
    if unknown:
        out.print(Text(f"no price is known of {', '.join(unknown)}: sums with > are without it", style="yellow"))
    if old := stale(found, date.today()):
        out.print(Text(f"warning: {old}", style="yellow"))


def _sums(found: Estimate) -> Table:
    listed = _figures("As bought", "")
    for one in found.items:
        words = f"{one.count} × {one.name}" if one.count > 1 else one.name
        _add(listed, f"[dim]{words}[/]", Cost.fixed(one.hour))
    for pool in found.pools:
        _add(listed, pool.name, pool.as_bought)
    _add(listed, "all as bought", found.as_bought, style="bold")
    _add(listed, "all on demand", found.on_demand, style="bold")
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
    return str(usd) if usd.unknown else f"${usd.known:,.0f}"


def _slices(found: Estimate) -> Table:
    listed = table("What one unit costs an hour", "pool", "unit", "as expected", "at most, on demand")
    for pool in found.pools:
        for unit, (expected, most) in pool.slices.items():
            listed.add_row(pool.name, unit.removeprefix("nvidia.com/"), _fine(expected), _fine(most))
    listed.add_row()
    return listed


def _fine(usd: Usd) -> str:
    return "unknown" if usd.unknown else f"${usd.known:,.4f}" if usd.known < 1 else f"${usd.known:,.2f}"


def _tenants(found: Estimate) -> Table:
    listed = _figures("By tenant, as its quota's share of the pools", "")
    for name, cost in found.tenants.items():
        _add(listed, name, cost)
    listed.add_row()
    return listed


def _show_changes(before: dict[str, object], after: dict[str, object], arguments: argparse.Namespace) -> None:
    changes = compare(before, after)
    if arguments.json:
        lines = [
            {"name": one.name, "expectedPerMonth": [one.before[0], one.after[0]], "ceilingPerHour": [one.before[1], one.after[1]]}
            for one in changes
        ]  # fmt: skip
        print(json.dumps({"before": before["stack"], "after": after["stack"], "changes": lines}, indent=2))
        return
    listed = Table(box=None, expand=True, pad_edge=False)
    listed.add_column("")
    for header in ("expected/month before", "after", "more", "at most/h before", "after", "more"):
        listed.add_column(header, header_style="underline", justify="right")
    for one in changes:
        figures = [
            _money(part)
            for index in (0, 1)
            for part in (one.before[index], one.after[index], one.difference(index))
        ]  # fmt: skip
        listed.add_row(one.name, *figures)
    out = console()
    out.print(f"[bold]{before['stack']}[/] → [bold]{after['stack']}[/], US dollars\n")
    out.print(listed)
    out.print(_verdict(changes[-1]))


def _money(usd: float | None) -> str:
    return "unknown" if usd is None else f"-${-usd:,.2f}" if usd < 0 else f"${usd:,.2f}"


def _verdict(total: Change) -> str:
    expected, most = total.difference(0), total.difference(1)
    return f"in all {_money(expected)} a month as expected, {_money(most)} an hour at most"


def _draw(found: Estimate, path: Path) -> None:
    from ..cost.chart import svg  # loads pygal, which nothing else needs

    try:
        with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False, encoding="utf-8") as scratch:
            scratch.write(svg(found))
        Path(scratch.name).chmod(0o644)
        Path(scratch.name).rename(path)
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror}") from None
