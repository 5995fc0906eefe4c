"""``check``: is the stack file right?"""

import argparse
import sys
from datetime import date

from ..config import open_stack
from ..errors import BlueprintError


def run(arguments: argparse.Namespace) -> int:
    """Check each stack; the worst result is the exit code."""
    return max(_check(stack) for stack in arguments.stacks)


def _check(stack: str) -> int:
    try:
        checked = open_stack(stack)
    except BlueprintError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    for warning in checked.warnings(date.today()):
        print(f"{warning} (warning)")
    config = checked.config
    print(f"{checked.source.file}: fine: {_count(len(config.pools), 'pool')}, {_count(len(config.tenants), 'tenant')}")
    return 0


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
