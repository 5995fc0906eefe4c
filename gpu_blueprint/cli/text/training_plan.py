"""The plan of a training run: what each way to buy its nodes costs, and what the numbers stand on."""

from collections.abc import Iterable, Sequence

from rich.console import Console, JustifyMethod
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from ...subjects.training.offers import Purchased
from ...subjects.training.plan_facts import (
    list_assumptions,
    list_facts,
    list_formulas,
    list_verdicts,
    plan_as_json,
    write_hours,
)
from ...subjects.training.plans import TrainingPlan
from .cost_tables import build_listing, format_money
from .problems import print_json
from .tables import make_console

_HEADERS = (
    "nodes",
    "interrupted\nevery",
    "save\nevery",
    "at most\nevery",
    "lost\neach time",
    "days",
    "lost\nin all",
    "nodes $",
    "storage $",
)
_ENDLESS = 10_000
"""Columns that no table needs."""


def show_json(plan: TrainingPlan) -> None:
    """Print one JSON document."""
    print_json(plan_as_json(plan))


def show(plan: TrainingPlan) -> None:
    """Print the advice and the offers, then their inputs, formulas and assumptions."""
    out = make_console()
    title = f" in {plan.stack.region}: a training run in pool {plan.request.pool.name}\n"
    out.print(Text.assemble((plan.stack.cluster_name, "bold"), title))
    out.print(build_listing("In short", list_verdicts(plan)))
    out.print(_fit_offers(plan, out))
    for line in _list_remarks(plan):
        out.print(Text(line))
    out.print()
    out.print(build_listing("Inputs", list_facts(plan)))
    out.print(build_listing("Formulas", list_formulas()))
    out.print(build_listing("Assumptions", (("·", text) for text in list_assumptions(plan))))


def _fit_offers(plan: TrainingPlan, out: Console) -> Table:
    """Return a row for each offer, or a column if the rows have no room: a number that is cut is a wrong number."""
    names = [f"{offer.label}{'' if offer.is_of_pool else ' *'}" for offer in plan.offers]
    cells = [[name, *_write_cells(plan, offer)] for name, offer in zip(names, plan.offers, strict=True)]
    rows = _build_rows(_HEADERS, cells)
    if Measurement.get(out, out.options.update_width(_ENDLESS), rows).maximum <= out.width:
        return rows
    lines = [header.replace("\n", " ") for header in _HEADERS]
    turned = [*zip(lines, *cells, strict=True)]
    heads = [name.replace(", ", ",\n") for name in turned[0]]
    return _build_rows(heads, turned[1:], expand=False)


def _build_rows(headers: Sequence[str], cells: Iterable[Sequence[str]], *, expand: bool = True) -> Table:
    rows = Table(box=None, pad_edge=False, expand=expand, padding=(0, 1 if expand else 2))
    for number, header in enumerate(headers):
        side: JustifyMethod = "right" if number else "left"
        rows.add_column(header, header_style="underline", justify=side, overflow="fold")
    for row in cells:
        rows.add_row(*row)
    return rows


def _write_cells(plan: TrainingPlan, offer: Purchased) -> list[str]:
    times = (1 / offer.disturbances.rate, offer.hours_between, offer.most_hours_between)
    every = [write_hours(hours) for hours in times]
    if not offer.ends:
        return [*every, write_hours(offer.loss), "never ends", "100 %", "–", "–"]
    return [
        *every,
        write_hours(offer.loss),
        f"{offer.hours / 24:.2f}",
        f"{100 * offer.lost:.1f} %",
        format_money(offer.nodes_usd),
        _format_storage(plan, offer),
    ]


def _format_storage(plan: TrainingPlan, offer: Purchased) -> str:
    usd = plan.price_storage(offer)
    if usd.unknown:
        return "unknown"
    return format_money(usd) if usd.known else "in the stack"


def _list_remarks(plan: TrainingPlan) -> list[str]:
    found = [f"{offer.label}: {offer.note}." for offer in plan.offers if offer.note]
    if not all(offer.is_of_pool for offer in plan.offers):
        found.append(f"* pool {plan.request.pool.name} does not buy in this way; the row is for comparison.")
    return found
