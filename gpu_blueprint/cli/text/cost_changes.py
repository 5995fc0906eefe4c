"""``cost --compare`` and ``cost --against``: what changes between two estimates."""

import json
from collections.abc import Mapping
from typing import Any

from rich.table import Table
from rich.text import Text

from ...cost import Change, compare
from .tables import console


def show_changes(before: Mapping[str, Any], after: Mapping[str, Any], *, as_document: bool) -> None:
    """Print each line of two estimates side by side, as a table or as one JSON document."""
    changes = compare(before, after)
    if as_document:
        lines = [
            {"name": one.name, "expectedPerMonth": [one.before[0], one.after[0]], "ceilingPerHour": [one.before[1], one.after[1]]}
            for one in changes
        ]  # fmt: skip
        print(json.dumps({"before": before["stack"], "after": after["stack"], "changes": lines}, indent=2))
        return
    listed = Table(box=None, expand=True, pad_edge=False)
    listed.add_column("")
    for header in ("expected a month", "then", "more", "at most an hour", "then", "more"):
        listed.add_column(header, header_style="underline", justify="right", overflow="fold")
    for one in changes:
        figures = [
            _money(part, cents=index == 1)
            for index in (0, 1)
            for part in (one.before[index], one.after[index], one.difference(index))
        ]  # fmt: skip
        listed.add_row(Text(one.name), *figures, style="bold" if one is changes[-1] else "")
    out = console()
    out.print(Text(f"{before['stack']} → {after['stack']}, US dollars; at most on demand\n", style="bold"))
    out.print(listed)
    out.print(f"\n{_verdict(changes[-1])}")
    if missing := sorted({*before.get("unknownPrices", []), *after.get("unknownPrices", [])}):
        out.print(Text(f"no price is known of {', '.join(map(str, missing))}", style="yellow"))


def _money(usd: float | None, *, cents: bool) -> str:
    if usd is None:
        return "unknown"
    return f"{'-' if usd < 0 else ''}${abs(usd):,.{2 if cents else 0}f}"


def _verdict(total: Change) -> str:
    expected, most = total.difference(0), total.difference(1)
    return f"in all {_more(expected, 'a month')} as expected, {_more(most, 'an hour', cents=True)} at most"


def _more(usd: float | None, per: str, *, cents: bool = False) -> str:
    if usd is None:
        return f"an unknown sum {per}"
    return f"{_money(abs(usd), cents=cents)} {per} {'less' if usd < 0 else 'more'}"
