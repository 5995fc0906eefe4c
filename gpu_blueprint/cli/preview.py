"""``preview``: show the platform that `pulumi up` would build."""

import argparse
from collections.abc import Sequence
from datetime import date
from typing import Any

from ..cost.estimate import as_json as cost_json
from ..cost.estimate import estimate_stack
from ..cost.promises import list_promises
from ..errors import Problem
from ..judging.formats import to_json
from ..judging.report import judge_stack
from ..judging.sarif import to_sarif
from ..loading import StackFile, open_stack
from ..plan import PlannedResource, record
from ..summary.cpu_pools import summarize_cpu_pools
from ..summary.promises import promise_as_json
from ..summary.stack import as_json, identify_stack, summarize_pool, summarize_service, summarize_tenant
from .text.preview import show
from .text.preview_markdown import preview_to_markdown
from .text.problems import print_json
from .text.tables import show_progress


def run(arguments: argparse.Namespace) -> int:
    """Print the preview. Return 1 if a policy fails, as `pulumi preview` with the policy pack would."""
    stack = open_stack(arguments.stack)
    with show_progress(f"rendering {stack.source.file} …"):
        plan = record(stack.name, stack.source.config)
    findings = judge_stack(stack, plan)
    match arguments.format:
        case "json":
            print_json(make_document(stack, plan, findings))
        case "sarif":
            print_json(to_sarif("preview", {stack.name: [*stack.list_warnings(date.today()), *findings]}))
        case "markdown":
            print(preview_to_markdown(stack, plan, findings), end="")
        case _:
            show(stack, plan, findings)
    return int(any(problem.severity == "error" for problem in findings))


def make_document(stack: StackFile, plan: Sequence[PlannedResource], findings: Sequence[Problem]) -> dict[str, Any]:
    """Return the preview as one JSON document."""
    config = stack.config
    return {
        "stack": identify_stack(config),
        "resources": [resource.as_json() for resource in plan],
        "cost": cost_json(estimate_stack(config)),
        "pools": [as_json(summarize_pool(config, pool)) for pool in config.gpu_pools],
        "cpuPools": [as_json(pool) for pool in summarize_cpu_pools(config)],
        "tenants": [as_json(summarize_tenant(config, tenant)) for tenant in config.tenants],
        "services": [as_json(summarize_service(config, service)) for service in config.services],
        "promises": [promise_as_json(promise) for promise in list_promises(config)],
        "warnings": [to_json(warning) for warning in stack.list_warnings(date.today())],
        "findings": [to_json(finding) for finding in findings],
    }
