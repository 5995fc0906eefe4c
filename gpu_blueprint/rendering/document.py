"""The one document about a planned stack: ``preview --json`` prints it, and ``render`` writes it as plan.json."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from .. import __version__
from ..changes.foundation import describe_foundation
from ..changes.snapshot import FORMAT
from ..config import StackConfig
from ..cost.estimate import as_json as cost_as_json
from ..cost.estimate import estimate_stack
from ..cost.promises import list_promises
from ..plan import PlannedResource
from ..problem import Problem
from ..queues.ceilings import ceilings_as_json
from ..readiness.start_times import list_start_times
from ..summary.cpu_pools import summarize_cpu_pools
from ..summary.models import model_as_json, summarize_models
from ..summary.promises import promise_as_json
from ..summary.queues import queue_as_json, summarize_queues
from ..summary.service_quotas import list_instance_needs, list_platform_needs
from ..summary.stack import as_json, identify_stack, summarize_pool, summarize_service, summarize_tenant
from ..summary.start_times import start_time_as_json
from ..summary.storage import storage_as_json, summarize_storage

_TOP = Path(__file__).parents[2]
_REQUIREMENTS = ("requirements.txt", "constraints.txt")


def build_document(
    config: StackConfig, plan: Sequence[PlannedResource], warnings: Iterable[Problem], findings: Iterable[Problem]
) -> dict[str, Any]:
    """Return everything that is known about a stack before it is built; no value of a secret is in it.

    Args:
        config: The stack.
        plan: The plan of this stack.
        warnings: Everything in its file that is legal but unwise.
        findings: The findings of the policies about its plan.
    """
    needs = [*list_instance_needs(config), *list_platform_needs(config)]
    return {
        "format": FORMAT,
        "blueprintVersion": __version__,
        "stack": identify_stack(config),
        "foundation": describe_foundation(config),
        "resources": [resource.as_json() for resource in plan],
        "cost": {**cost_as_json(estimate_stack(config)), "hourlyCeilings": ceilings_as_json(config)},
        "serviceQuotas": [need.as_json(config.region) for need in needs],
        "pools": [as_json(summarize_pool(config, pool)) for pool in config.gpu_pools],
        "cpuPools": [as_json(pool) for pool in summarize_cpu_pools(config)],
        "tenants": [as_json(summarize_tenant(config, tenant)) for tenant in config.tenants],
        "queues": [queue_as_json(queue) for queue in summarize_queues(config)],
        "services": [as_json(summarize_service(config, service)) for service in config.services],
        "models": [model_as_json(model) for model in summarize_models(config)],
        "startTimes": [start_time_as_json(start) for start in list_start_times(config)],
        "storage": [storage_as_json(storage) for storage in summarize_storage(config)],
        "promises": [promise_as_json(promise) for promise in list_promises(config)],
        "warnings": [warning.as_json() for warning in warnings],
        "findings": [finding.as_json() for finding in findings],
        "requirements": _read_requirements(),
    }


def _read_requirements() -> str:
    """Return the files that pin the packages of this code; empty where the code is installed without them."""
    files = [file for name in _REQUIREMENTS if (file := _TOP / name).is_file()]
    return "".join(file.read_text(encoding="utf-8") for file in files)
