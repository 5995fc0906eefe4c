"""How proposals reach a person: what was measured, then each proposal with its reasons, then the sum."""

from collections.abc import Iterable, Mapping

from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from ...config import StackConfig
from ...cost.money import Usd
from ...live.advise import Advice, Observed, Proposal
from ...live.advise.bill import usd_a_month
from ...live.advise.proposal import WELL_COVERED, AddPool, Change
from .tables import console, table

_COLOURS = {"high": "green", "medium": "yellow", "low": "red"}
_GIB = 1024


def show(stack: StackConfig, seen: Observed, found: Advice, left_out: Mapping[str, str]) -> None:
    """Print everything; ``left_out`` says of proposals why the edited file is without them."""
    out = console()
    days = f"{seen.window.days:g} days" if seen.window.days != 1 else "1 day"
    out.print(Text.assemble((stack.cluster_name, "bold"), f" in {stack.region}: what {days} of metrics say\n"))
    out.print(_measured(stack, seen))
    if found.silent or found.free or seen.window.warnings or seen.window.coverage < WELL_COVERED:
        out.print(_remarks(seen, found))
    for number, one in enumerate(found.proposals, 1):
        out.print(Text.assemble((f"\n{number}. {_heading(one)}", "bold")))
        out.print(Padding(_block(one, found.alternatives, left_out.get(one.name)), (0, 0, 0, 3)))
    out.print(Text(f"\n{_verdict(stack, seen, found)}", style="bold"))


def _measured(stack: StackConfig, seen: Observed) -> Table:
    listed = table("Measured")
    for header, right in (
        ("pool", False), ("GPUs held", True), ("running", True), ("ceiling", True), ("SM activity", True),
        ("tensor", True), ("bandwidth", True), ("memory", True), ("a month", True),
    ):  # fmt: skip
        listed.add_column(header, header_style="underline", justify="right" if right else "left", overflow="fold")
    for pool in stack.pools:
        use = seen.of(pool)
        done = use.activity
        busy = ("–",) * 4
        if done:
            busy = (
                f"{done.sm_mean:.0%}, {done.sm_p95:.0%}",
                f"{done.tensor_p95:.0%}",
                f"{done.dram_p95:.0%}",
                f"{done.memory_mib / _GIB:.1f} GiB",
            )
        held, running = f"{use.held_mean:.1f}, {use.held_peak:.1f}", f"{use.gpus_mean:.1f}, {use.gpus_peak:.0f}"
        listed.add_row(
            pool.name, held, running, str(pool.max_gpus), *busy, _dollars(usd_a_month(stack, pool, use, seen.window))
        )
    listed.caption = (
        "GPUs: mean, peak. SM activity: mean, and p95 of the busiest GPU, as are tensor and bandwidth. Memory: the most used "
        "of one GPU. Dollars: a month like this window, at list prices."
    )
    listed.caption_justify, listed.caption_style = "left", "dim"
    return listed  # fmt: skip


def _remarks(seen: Observed, found: Advice) -> Table:
    """What limits what can be said."""
    grid = Table(
        title="\nTo know", title_justify="left", title_style="bold", box=None, show_header=False, pad_edge=False
    )
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    if seen.window.coverage < WELL_COVERED:
        held = seen.window.hours / 24
        text = f"only {held:.1f} of {seen.window.days:g} days have data: the cluster, its monitoring or what it keeps is younger"
        grid.add_row("the rest of the window", text)
    for text in seen.window.warnings:
        grid.add_row("the server", Text(text))
    for pool, text in found.free:
        grid.add_row(pool, text)
    for pool, why in found.silent:
        grid.add_row(pool, f"whether less would do: {why}")
    return grid


def _heading(one: Proposal) -> str:
    return f"{one.kind} {one.subject}: {one.title}"


def _block(one: Proposal, alternatives: Iterable[Proposal], refused: str | None) -> Table:
    grid = Table(box=None, show_header=False, pad_edge=False, expand=True)
    grid.add_column(width=11, no_wrap=True, style="dim")
    grid.add_column(ratio=1, overflow="fold")
    grid.add_row("saves", Text(_saving(one)))
    sure = Text.assemble((one.confidence.level, _COLOURS[one.confidence.level]), f": {one.confidence.reason}")
    grid.add_row("confidence", sure)
    for index, line in enumerate(one.evidence):
        grid.add_row("" if index else "because", Text(line))
    for index, line in enumerate(one.next, 1):
        grid.add_row("" if index > 1 else "next", Text(f"{index}. {line}"))
    for index, other in enumerate(other for other in alternatives if other.pool == one.pool and one.moves):
        grid.add_row("" if index else "instead", Text(f"{other.kind}: {other.title}, {_saving(other)}"))
    for index, change in enumerate(one.changes):
        grid.add_row("" if index else "in the file", Text(_said(change)))
    if refused:
        grid.add_row("", Text(f"not with --out: {refused}", style="yellow"))
    return grid


def _saving(one: Proposal) -> str:
    if one.saving is None:
        return "nothing of the bill as it is"
    if one.saving < 0:
        return f"nothing; it costs up to ${-one.saving:,.0f} a month more"
    return f"${one.saving:,.0f} a month"


def _said(change: Change) -> str:
    if isinstance(change, AddPool):
        grants = ", ".join(f"{tenant} {count}" for tenant, count in change.grants.items())
        return f"adds pool {change.name} beside {change.like}{f', with quotas: {grants}' if grants else ''}"
    value = f"[{', '.join(map(str, change.value))}]" if isinstance(change.value, list) else change.value
    return f"{'.'.join(change.path)}: {value}"


def _verdict(stack: StackConfig, seen: Observed, found: Advice) -> str:
    some = ((stack.pools, "pool"), (stack.tenants, "tenant"), (stack.reservations, "reservation"))
    pools, tenants, reservations = (_counted(len(those), one) for those, one in some)
    looked = f"{pools}, {tenants} and {reservations}"
    if not found.proposals:
        rest = "what could not be judged stands above" if found.silent else "their use fits them"
        return f"Nothing to propose: {looked} were looked at, and {rest}. Nothing was changed."
    whole = sum((usd_a_month(stack, pool, seen.of(pool), seen.window) for pool in stack.pools), start=Usd())
    of = f" of {_dollars(whole)} that the pools cost" if whole.known else ""
    once = ", the largest step of each pool counted" if found.saving else ""
    return f"{_counted(len(found.proposals), 'proposal')} for {looked} would save up to ${found.saving:,.0f} a month{of}{once}. Nothing was changed."


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _dollars(usd: Usd) -> str:
    return f"> ${usd.known:,.0f}" if usd.unknown and usd.known else "unknown" if usd.unknown else f"${usd.known:,.0f}"
