"""``preview``: what would `pulumi up` build?"""

import argparse
import json
import sys
from datetime import date
from typing import Any

from ..config import StackFile, open_stack
from ..plan import PlannedResource, record
from ..summary import as_json, pool_summary, stack_facts, tenant_summary
from .preview_text import show
from .tables import progress


def run(arguments: argparse.Namespace) -> int:
    """Print the preview."""
    stack = open_stack(arguments.stack)
    with progress(f"rendering {stack.source.file} …"):
        plan = record(stack.name, stack.source.config)
    if arguments.json:
        json.dump(document(stack, plan), sys.stdout, indent=2)
        print()
    else:
        show(stack, plan)
    return 0


def document(stack: StackFile, plan: tuple[PlannedResource, ...]) -> dict[str, Any]:
    """The preview as one JSON document."""
    config = stack.config
    return {
        "stack": stack_facts(config),
        "resources": [resource.as_json() for resource in plan],
        "pools": [as_json(pool_summary(config, pool)) for pool in config.pools],
        "tenants": [as_json(tenant_summary(config, tenant)) for tenant in config.tenants],
        "warnings": [str(warning) for warning in stack.warnings(date.today())],
    }
