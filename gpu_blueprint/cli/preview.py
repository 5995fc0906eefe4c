"""``preview``: what would `pulumi up` build?"""

import argparse
import json
import sys
from collections.abc import Sequence
from datetime import date
from typing import Any

from ..cost import estimate
from ..cost.estimate import as_json as cost_json
from ..judging.report import Placed
from ..loading import StackFile, open_stack
from ..plan import PlannedResource, record
from ..summary.stack import as_json, pool_summary, service_summary, stack_facts, tenant_summary
from .policies import judged
from .text.preview import show
from .text.tables import progress


def run(arguments: argparse.Namespace) -> int:
    """Print the preview; 1 when a policy fails, as `pulumi preview` with the pack would."""
    stack = open_stack(arguments.stack)
    with progress(f"rendering {stack.source.file} …"):
        plan = record(stack.name, stack.source.config)
    found = judged(stack, plan)
    if arguments.json:
        json.dump(document(stack, plan, found), sys.stdout, indent=2)
        print()
    else:
        show(stack, plan, found)
    return 1 if any(one.finding.fails for one in found) else 0


def document(stack: StackFile, plan: Sequence[PlannedResource], found: Sequence[Placed]) -> dict[str, Any]:
    """The preview as one JSON document."""
    config = stack.config
    return {
        "stack": stack_facts(config),
        "resources": [resource.as_json() for resource in plan],
        "cost": cost_json(estimate(config)),
        "pools": [as_json(pool_summary(config, pool)) for pool in config.pools],
        "tenants": [as_json(tenant_summary(config, tenant)) for tenant in config.tenants],
        "services": [as_json(service_summary(config, service)) for service in config.services],
        "warnings": [str(warning) for warning in stack.warnings(date.today())],
        "policies": [one.as_json() for one in found],
    }
