"""The estimate of a stack, or the changes between two estimates, in the format that the user chose."""

from collections.abc import Iterator, Sequence
from datetime import date

from rich.text import Text

from ...catalog.prices import STALE_AFTER
from ...config import StackConfig
from ...cost.estimate import Estimate, as_json
from ...cost.money import Usd
from ...errors import Problem
from ...judging.formats import Format, escape_markdown, format_markdown_table, to_json, to_markdown
from ...judging.sarif import to_sarif
from .cost_changes import Comparison, changes_to_json, changes_to_markdown, show_changes
from .cost_tables import (
    HEADERS,
    build_listing,
    build_slices_table,
    build_sums_table,
    build_tenants_table,
    format_cost,
    format_money,
    format_month,
    list_parts,
)
from .problems import print_json, print_lines
from .tables import make_console


def show(
    config: StackConfig, found: Estimate, comparison: Comparison | None, broken: Sequence[Problem], format_: Format
) -> None:
    """Print an estimate or a comparison, and the bounds that the stack breaks."""
    match format_:
        case "json":
            document = changes_to_json(comparison) if comparison else as_json(found)
            print_json({**document, "problems": [to_json(problem) for problem in broken]})
        case "sarif":
            print_json(to_sarif(broken))
        case "markdown":
            print(changes_to_markdown(comparison) if comparison else _format_markdown(config, found))
            if broken:
                print(to_markdown(broken, found.stack), end="")
        case "text":
            if comparison:
                show_changes(comparison)
            else:
                _show_estimate(config, found)
            print_lines(broken, to_errors=True)


def describe_in_one_line(found: Estimate) -> str:
    """Return the estimate in one line, as the preview shows it."""
    cost = found.cost
    expected = f"{cost.expected.hour}/h expected ({format_month(cost.expected.month)} a month)"
    most = "unknown because prices are missing" if cost.ceiling.hour.unknown else f"{cost.ceiling.hour}/h on demand"
    return f"costs {cost.floor.hour}/h idle, {expected}, at most {most}"


def find_stale_prices(found: Estimate, today: date) -> str | None:
    """Return a warning if the oldest price is too old."""
    if found.as_of is None or today - found.as_of <= STALE_AFTER:
        return None
    return f"the oldest price of an instance is of {found.as_of}; {_describe_refresh(found)}"


def _describe_refresh(found: Estimate) -> str:
    return f"with AWS credentials, python -m tools.refresh_prices --region {found.region} updates the prices"


def _show_estimate(config: StackConfig, found: Estimate) -> None:
    out = make_console()
    dated = f"instances at list prices of {found.as_of} or later, " if found.as_of else ""
    out.print(Text.assemble((found.stack, "bold"), f" in {found.region}: US dollars, {dated}without taxes\n"))
    out.print(build_sums_table(found))
    out.print(build_slices_table(found))
    if len(found.tenants) > 1:
        out.print(build_tenants_table(found))
    out.print(build_listing("Commitments", [(advice.pool, advice.text) for advice in found.commitments]))
    out.print(build_listing("Assumptions", [("", text) for text in found.assumptions]))
    for line in _describe_bounds(config, found):
        out.print(Text(line))
    for warning in _list_price_warnings(found):
        out.print(Text(warning, style="yellow"))


def _describe_bounds(config: StackConfig, found: Estimate) -> Iterator[str]:
    for name, bound, cost in (
        ("hourlyCeiling", config.hourly_ceiling, found.cost.ceiling.hour),
        ("monthlyBudget", config.monthly_budget, found.cost.expected.month),
    ):
        if bound is not None:
            yield f"{name}: {format_money(cost)} of {format_money(Usd(bound))}"


def _list_price_warnings(found: Estimate) -> Iterator[str]:
    if found.unknown:
        unknown = f"no price is known of {', '.join(found.unknown)}, so sums with > are without it"
        yield f"{unknown}; {_describe_refresh(found)}"
    if old := find_stale_prices(found, date.today()):
        yield f"warning: {old}"


def _format_markdown(config: StackConfig, found: Estimate) -> str:
    rows = [(name, *format_cost(cost)) for name, cost in list_parts(found)]
    lines = [*_describe_bounds(config, found), *_list_price_warnings(found)]
    sentences = "".join(f"\n{escape_markdown(line)}\n" for line in lines)
    heading = f"**{escape_markdown(found.stack)}** {escape_markdown(describe_in_one_line(found))}."
    return f"{heading}\n\n{format_markdown_table(('part', *HEADERS), rows)}{sentences}"
