"""``check``: is the stack file right, and, with ``--policies``, does the platform keep the rules?"""

import argparse
import importlib
import sys
from datetime import date

from ..errors import BlueprintError, UsageError
from ..loading import StackFile, open_stack


def run(arguments: argparse.Namespace) -> int:
    """Check each stack; the worst result is the exit code."""
    if arguments.format != "text" and not (arguments.policies and len(arguments.stacks) == 1):
        raise UsageError(f"--format {arguments.format} needs --policies and one stack")
    if arguments.policy_config and not arguments.policies:
        raise UsageError("--policy-config needs --policies")
    return max(_check(stack, arguments) for stack in arguments.stacks)


def _check(name: str, arguments: argparse.Namespace) -> int:
    try:
        stack = open_stack(name)
    except BlueprintError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    if arguments.policies:
        # Imported here because it loads Pulumi, which a plain check does without.
        judge = importlib.import_module("gpu_blueprint.cli.policies")
        code: int = judge.check(stack, arguments)
        return code
    print_warnings(stack)
    pools, tenants = len(stack.config.pools), len(stack.config.tenants)
    print(f"{stack.source.file}: fine: {_count(pools, 'pool')}, {_count(tenants, 'tenant')}")
    return 0


def print_warnings(stack: StackFile) -> None:
    """Print what is legal but unwise."""
    for warning in stack.warnings(date.today()):
        print(f"{warning} (warning)")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
