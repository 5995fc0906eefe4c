"""``preflight``: ask AWS whether the account can hold the stack. It only reads."""

import argparse

from ..errors import UsageError
from ..live.preflight import ask_account as ask
from ..live.preflight import build_policy, choose_exit_code
from ..loading import open_stack
from .account import connect
from .text.preflight import show
from .text.problems import print_json
from .text.tables import show_progress


def run(arguments: argparse.Namespace) -> int:
    """Ask AWS and print the findings, unless the stack file holds placeholders.

    Return 0 if nothing fails, 1 if a check fails or has no answer, 2 if AWS does not accept the credentials.
    """
    if arguments.stack is None and not arguments.policy:
        raise UsageError("name the STACK to ask about, or pass --policy to print the IAM policy of all checks")
    if arguments.policy and arguments.format in ("sarif", "markdown"):
        raise UsageError(f"--policy prints an IAM policy, which is always JSON; remove --format {arguments.format}")
    stack = open_stack(arguments.stack) if arguments.stack else None
    if stack is None or arguments.policy:
        print_json(build_policy(stack.config if stack else None))
        return 0
    stack.refuse_placeholders()
    account = connect(stack.config.region, arguments.profile, command="preflight")
    with show_progress(f"asking account {stack.config.account_id} in {stack.config.region} …"):
        findings = ask(stack.config, account)
    show(stack, findings, arguments.format)
    return choose_exit_code(findings)
