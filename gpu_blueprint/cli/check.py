"""``check``: find every problem of stack files and, with ``--policies``, of the platforms that they describe."""

import argparse
from datetime import date
from pathlib import Path

from ..errors import BlueprintError, StackError, UsageError
from ..files.loading import StackFile, open_stack
from ..problem import Problem
from .text.check import Result, show


def run(arguments: argparse.Namespace) -> int:
    """Check each stack, print all results, and return the worst exit code."""
    if arguments.policy_config and not arguments.policies:
        raise UsageError("--policy-config needs --policies")
    results = [_check(name, arguments.policies, arguments.policy_config) for name in arguments.stacks]
    show(results, arguments.format)
    return max(result.exit_code for result in results)


def _check(name: str, policies: bool, levels: Path | None) -> Result:
    try:
        stack = open_stack(name)
        findings = _judge(stack, levels) if policies else None
    except StackError as error:
        return Result(name, problems=error.problems)
    except BlueprintError as error:
        return Result(name, refusal=error)
    problems = [*stack.list_warnings(date.today()), *stack.list_hints()]
    return Result(name, stack=stack, problems=problems, findings=findings, levels=levels)


def _judge(stack: StackFile, levels: Path | None) -> list[Problem]:
    from ..judging.report import judge_stack  # these imports load Pulumi and rich, which only --policies needs
    from ..plan import record
    from .text.tables import show_progress

    with show_progress(f"rendering {stack.source.file} …"):
        plan = record(stack.name, stack.source.config)
    return [*judge_stack(stack, plan, levels)]
