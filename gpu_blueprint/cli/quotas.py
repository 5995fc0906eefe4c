"""``quotas``: which service quotas must the account have for every pool to reach its ceiling?"""

import argparse
import json
import sys
from collections.abc import Sequence

from rich.table import Table
from rich.text import Text

from ..config import StackConfig
from ..loading import open_stack
from ..summary.service_quotas import Need, command, instance_needs, platform_needs
from ..summary.stack import stack_facts
from .text.tables import console, table


def run(arguments: argparse.Namespace) -> int:
    """Print what is needed; it is no error when the account has less, which only preflight can tell."""
    stack = open_stack(arguments.stack, bounded=False).config
    if arguments.json:
        document = {
            "stack": stack_facts(stack),
            "instances": [need.as_json(stack.region) for need in instance_needs(stack)],
            "platform": [need.as_json(stack.region) for need in platform_needs(stack)],
            "notes": list(notes()),
        }
        json.dump(document, sys.stdout, indent=2, ensure_ascii=False)
        print()
    else:
        _show(stack)
    return 0


def _show(stack: StackConfig) -> None:
    out, needs = console(), instance_needs(stack)
    out.print(
        Text.assemble((stack.cluster_name, "bold"), f" in {stack.region}, account {stack.account_id}: service quotas\n")
    )
    out.print(_instances(needs))
    out.print(_platform(platform_needs(stack)))
    out.print("[bold]To ask for what a new account has not[/]")
    for need in needs:
        if need.amount <= need.quota.default:
            continue
        for line in _request(need, stack.region):
            out.print(Text(line), soft_wrap=True)  # to be copied
    out.print()
    for note in notes():
        out.print(Text(note))


def _request(need: Need, region: str) -> tuple[str, ...]:
    """A command to copy, in two lines that fit the page."""
    first, rest = command(need.quota, need.amount, region)
    unknown = f"# {need.quota.name}: no published code; find it by name: it must hold {need.amount} {need.quota.unit}"
    return (*([] if need.quota.code else [unknown]), f"{first} \\", f"    {rest}")


def notes() -> list[str]:
    """How to read the numbers."""
    return [
        "Counted for this stack alone, on the types with the most vCPUs per GPU; spot and on-demand each hold all of "
        "a pool that buys both. What else runs in the account comes on top. What it has already, preflight tells."
    ]


def _instances(needs: Sequence[Need]) -> Table:
    listed = table("vCPUs of instances, every pool at its ceiling", "quota", "vCPU", "default", "needed by")
    _align(listed)
    for need in needs:
        shares = [f"{one.of}: {one.counted}" for one in need.shares]
        code = f"[bold]{need.quota.code}[/]" if need.quota.code else "[bold yellow]unknown code[/]"
        listed.add_row(
            f"{code}\n{need.quota.name}", f"[bold]{need.amount:,}[/]", str(need.quota.default), "\n".join(shares)
        )
        listed.add_row()
    return listed


def _platform(needs: Sequence[Need]) -> Table:
    listed = table("What the platform makes, on top of what the account has", "quota", "adds", "default", "for")
    _align(listed)
    for need in needs:
        (share,) = need.shares
        name = f"[bold]{need.quota.code}[/] {need.quota.name}"
        listed.add_row(name, str(need.amount), str(need.quota.default), f"{share.of}: {share.counted}")
    listed.add_row()
    return listed


def _align(listed: Table) -> None:
    """Two columns of text with two of numbers between them, alike in both tables."""
    first, *numbers, last = listed.columns
    first.ratio, last.ratio = 1, 1
    for number in numbers:
        number.justify, number.min_width = "right", 7
