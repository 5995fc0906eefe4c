"""``preview``: what would `pulumi up` build?"""

import argparse
import json
import sys
from datetime import date
from typing import Any

from ..config import StackFile, open_stack
from ..plan import PlannedResource, record
from ..summary import as_json, pool_summary, stack_facts, tenant_summary
from . import preview_text


def run(arguments: argparse.Namespace) -> int:
    """Print the preview."""
    stack = open_stack(arguments.stack)
    with preview_text.progress(f"rendering {stack.source.file} …"):
        plan = record(stack.name, stack.source.config)
    if arguments.json:
        json.dump(document(stack, plan), sys.stdout, indent=2)
        print()
    else:
        preview_text.show(stack, plan)
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
