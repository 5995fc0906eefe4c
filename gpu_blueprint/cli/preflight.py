"""``preflight``: can the account hold what the stack says? The one command that asks AWS, and only ever reads."""

import argparse
import importlib
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from rich.table import Table
from rich.text import Text

from ..config import StackConfig
from ..errors import UsageError
from ..live.preflight import Account, Finding, Status, exit_code, policy
from ..live.preflight import run as ask
from ..loading import open_stack
from ..summary.stack import stack_facts
from .text.tables import console, progress, table

_COLOURS = {Status.PASS: "green", Status.WARN: "yellow"}


def run(arguments: argparse.Namespace) -> int:
    """Ask and report; 0 nothing fails, 1 something fails or was not answered, 2 without credentials."""
    if arguments.stack is None and not arguments.policy:
        raise UsageError("name the STACK to ask about, or --policy for the IAM policy of all")
    stack = open_stack(arguments.stack).config if arguments.stack else None
    if stack is None or arguments.policy:
        _dump(policy(stack))
        return 0
    account = _account(stack.region, arguments.profile)
    with progress(f"asking account {stack.account_id} in {stack.region} …"):
        findings = ask(stack, account)
    if arguments.json:
        _dump(
            {
                "stack": stack_facts(stack),
                "findings": [finding.as_json() for finding in findings],
                "summary": dict(Counter(finding.status.value for finding in findings)),
            }
        )
    else:
        _show(stack, findings)
    return exit_code(findings)


def _account(region: str, profile: str | None) -> Account:
    try:
        aws = importlib.import_module("gpu_blueprint.live.preflight.aws")
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] not in ("boto3", "botocore"):
            raise
        text = "preflight needs boto3, which is not installed: run make preflight, or .venv/bin/python -m pip install -r requirements-live.txt"
        raise UsageError(text) from None
    account: Account = aws.AwsAccount(aws.sign_in(region, profile), region)
    return account


def _dump(document: object) -> None:
    json.dump(document, sys.stdout, indent=2, ensure_ascii=False)
    print()


def _show(stack: StackConfig, findings: Sequence[Finding]) -> None:
    out = console()
    out.print(Text.assemble((stack.cluster_name, "bold"), f" in {stack.region}, account {stack.account_id}\n"))
    for listed in _listed(findings):
        out.print(listed)
    todo = dict.fromkeys((finding.subject, finding.remedy) for finding in findings if finding.remedy)
    if todo:
        out.print("[bold]What to do[/]")
    for subject, remedy in todo:
        out.print(Text(f"{subject}\n    {remedy}"), soft_wrap=True)  # commands are to be copied
    if todo:
        out.print()
    out.print(Text(_verdict(findings), style="bold" if exit_code(findings) == 0 else "bold red"))


def _listed(findings: Iterable[Finding]) -> Iterator[Table]:
    """One table for each check, their columns below each other."""
    for check, group in groupby(findings, key=lambda finding: finding.check):
        listed = table(check.capitalize())
        for width in (14, 34, None):
            listed.add_column(width=width, ratio=None if width else 1, overflow="fold")
        listed.show_header = False
        for finding in group:
            status = Text(finding.status.value, style=_COLOURS.get(finding.status, "bold red"))
            listed.add_row(status, Text(finding.subject), Text(finding.message))
        listed.add_row()
        yield listed


def _verdict(findings: Sequence[Finding]) -> str:
    counts = Counter(finding.status for finding in findings)
    said = ", ".join(f"{counts[status]} {status.value}" for status in Status if counts[status])
    open_ones = sum(counts[one] for one in (Status.DENIED, Status.UNANSWERED, Status.LOCKED_OUT))
    unknown = " What was not answered is not taken for fine." if open_ones else ""
    return f"{said}.{unknown} Nothing was changed."
