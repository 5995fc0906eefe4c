"""The service quotas that a stack needs, and the commands that request them."""

from collections.abc import Iterator, Sequence

from rich.table import Table
from rich.text import Text

from ...config import StackConfig
from ...explain.pools.service_quotas import Need, Share, write_request
from ...explain.stack import identify_stack
from .problems import print_json
from .tables import make_console, make_table

_NOTES = (
    "Counted for this stack alone; spot and on-demand each hold all of a pool that buys both. The requests ask for the"
    " column `launched`: the cheapest type of each size, which Karpenter launches while EC2 has it. If EC2 has none, or"
    " has spot of larger types alone, larger types come, up to the column `at worst`; a quota below it then keeps pods"
    " waiting. Add the other workloads of the account. `blueprint preflight` shows the account's quotas.",
)


def show_json(stack: StackConfig, instances: Sequence[Need], platform: Sequence[Need]) -> None:
    """Print one JSON document."""
    document = {
        "stack": identify_stack(stack),
        "instances": [need.as_json(stack.region) for need in instances],
        "platform": [need.as_json(stack.region) for need in platform],
        "notes": _NOTES,
    }
    print_json(document)


def show(stack: StackConfig, instances: Sequence[Need], platform: Sequence[Need]) -> None:
    """Print the quotas, and the commands that request quotas above AWS's defaults."""
    out = make_console()
    place = f" in {stack.region}, account {stack.account_id}: service quotas\n"
    out.print(Text.assemble((stack.cluster_name, "bold"), place))
    out.print(_build_instance_table(instances))
    if platform:
        out.print(_build_platform_table(platform))
    out.print("[bold]Requests for a new account[/]")
    for need in instances:
        if need.amount > need.quota.default:
            for line in _list_request_lines(need, stack.region):
                out.print(Text(line), soft_wrap=True)  # to be copied
    out.print()
    for note in _NOTES:
        out.print(Text(note))


def _list_request_lines(need: Need, region: str) -> Iterator[str]:
    """Yield a command to copy, in two lines that fit the page."""
    if not need.quota.code:
        amount = f"{need.amount} {need.quota.unit}"
        yield f"# {need.quota.name}: its code is not published; find it by name, and request {amount}"
    first, rest = write_request(need.quota, need.amount, region)
    yield f"{first} \\"
    yield f"    {rest}"


def _build_instance_table(needs: Sequence[Need]) -> Table:
    rows = make_table(
        "vCPUs of instances, every pool at its ceiling", "quota", "launched", "at worst", "default", "needed by"
    )
    _align(rows)
    for need in needs:
        shares = [_describe_share(share) for share in need.shares]
        code = f"[bold]{need.quota.code}[/]" if need.quota.code else "[bold yellow]unknown code[/]"
        amounts = (f"[bold]{need.amount:,}[/]", f"{need.worst:,}", str(need.quota.default))
        rows.add_row(f"{code}\n{need.quota.name}", *amounts, "\n".join(shares))
        rows.add_row()
    return rows


def _describe_share(share: Share) -> str:
    worst = "" if share.worst == share.launched else f", at worst {share.worst.calculation}"
    return f"{share.of}: {share.launched.calculation}{worst}"


def _build_platform_table(needs: Sequence[Need]) -> Table:
    rows = make_table("The platform itself, in addition to what the account has", "quota", "adds", "default", "for")
    _align(rows)
    for need in needs:
        (share,) = need.shares
        name = f"[bold]{need.quota.code}[/] {need.quota.name}"
        rows.add_row(name, str(need.amount), str(need.quota.default), _describe_share(share))
    rows.add_row()
    return rows


def _align(rows: Table) -> None:
    """Let the numbers stand between two texts of one width."""
    first, *numbers, last = rows.columns
    first.ratio, last.ratio = 1, 1
    for number in numbers:
        number.justify, number.min_width = "right", 7
