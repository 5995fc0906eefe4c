"""The policy rules on the command line."""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Sequence
from datetime import date
from pathlib import Path

from policies import RULES

from ..judging.report import Placed, placed, sarif, waivers_of
from ..judging.verdicts import findings, levels_file, read_levels
from ..loading import StackFile
from ..plan import PlannedResource, record
from .check import print_warnings
from .text.tables import progress


def check(stack: StackFile, arguments: argparse.Namespace) -> int:
    """Judge a stack and print what was found; 1 when something fails."""
    with progress(f"rendering {stack.source.file} …"):
        plan = record(stack.name, stack.source.config)
    found = judged(stack, plan, arguments.policy_config)
    if arguments.format == "json":
        json.dump([one.as_json() for one in found], sys.stdout, indent=2)
        print()
    elif arguments.format == "sarif":
        json.dump(sarif(found), sys.stdout, indent=2)
        print()
    else:
        print_warnings(stack)
        for one in found:
            print(one)
        print(f"{stack.source.file}: {verdict(found)}")
    return 1 if any(one.finding.fails for one in found) else 0


def judged(stack: StackFile, plan: Sequence[PlannedResource], config: Path | None = None) -> list[Placed]:
    """The findings of a stack at the levels of its environment."""
    levels = read_levels(config or levels_file(stack.config.environment))
    return placed(stack, plan, findings(plan, levels, waivers_of(stack), date.today()))


def verdict(found: Sequence[Placed]) -> str:
    """One line for all findings."""
    counts = Counter(one.finding.word for one in found)
    listed = ", ".join(f"{number} {word}" for word, number in counts.items())
    return f"{len(RULES)} policies: {listed or 'all pass'}"
