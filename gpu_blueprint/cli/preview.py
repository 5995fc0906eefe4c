"""``preview``: show the platform that `pulumi up` would build."""

import argparse
from datetime import date

from ..errors import UsageError
from ..files.loading import open_stack
from ..judging.report import judge_stack
from ..plan import record
from ..rendering.document import build_document
from .preview_files import read_sources, refuse_page_flags, write_files
from .text.preview import show
from .text.preview_markdown import preview_to_markdown
from .text.problems import print_json
from .text.sarif import to_sarif
from .text.tables import show_progress


def run(arguments: argparse.Namespace) -> int:
    """Print the preview. Return 1 if a policy rule fails, as `pulumi preview` does with the policy pack."""
    _refuse_lists(arguments)
    refuse_page_flags(arguments)
    stack = open_stack(arguments.stack)
    sources = read_sources(arguments, stack)
    with show_progress(f"rendering {stack.source.file} …"):
        plan = record(stack.name, stack.source.config)
    findings = judge_stack(stack, plan)
    write_files(arguments, stack, plan, findings, sources)
    match arguments.format:
        case "json":
            print_json(build_document(stack.config, plan, stack.list_warnings(date.today()), findings))
        case "sarif":
            print_json(to_sarif("preview", {stack.name: [*stack.list_warnings(date.today()), *findings]}))
        case "markdown":
            print(preview_to_markdown(stack, plan, findings), end="")
        case _:
            show(stack, plan, findings, tree=arguments.tree, promises=arguments.promises)
    return int(any(problem.severity == "error" for problem in findings))


def _refuse_lists(arguments: argparse.Namespace) -> None:
    """Refuse flags that add to the text output, if another format is chosen."""
    for flag in ("tree", "promises"):
        if getattr(arguments, flag) and arguments.format != "text":
            raise UsageError(f"--{flag} adds to the text; leave it out: --json has every resource and every promise")
